# Prints the names of those files in the input that can be read, and after an empty line, their hashes
# in the format of git. $1: length of a hash.
unset GIT_DIR GIT_WORK_TREE GIT_CEILING_DIRECTORIES
files=$(while IFS= read -r file; do [ ! -f "$file" ] || [ ! -r "$file" ] || printf '%s\n' "$file"; done)
[ -n "$files" ] || exit 0
printf '%s\n\n' "$files"
if [ "$1" = 40 ] && printf '%s\n' "$files" | git hash-object --no-filters --stdin-paths 2>/dev/null; then exit 0; fi
bits=1
[ "$1" = 40 ] || bits=256
sum=sha${bits}sum
command -v "$sum" >/dev/null || sum="shasum -a $bits"
printf '%s\n' "$files" | while IFS= read -r file; do
  { printf 'blob %s\0' "$(($(wc -c <"$file")))" && cat -- "$file"; } | $sum | cut -d ' ' -f 1
done
