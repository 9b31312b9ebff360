cd -- "$1" || exit 82
own_folder "$3" "$2"
list=$own/list
cat >"$list"
printf '%s\n' "$5" >"$own/patterns"
xargs -0 ls -ldn -- <"$list" 2>/dev/null
echo "$2"
# Prints "- NAME" for each file that cannot be read, and NAME for each that contains a secret.
# shellcheck disable=SC2016 # For the inner shell.
xargs -0 sh -c 'blocks=$1 patterns=$2; shift 2
for file; do [ -r "$file" ] || [ -h "$file" ] || printf -- "- %s\n" "$file"; done
find "$@" -prune -type f -size "-$blocks" -exec grep -lE -f "$patterns" -- {} + 2>/dev/null' sh "$4" "$own/patterns" <"$list"
exit 0
