ref=$3 message=$4 following=$5
enter "$1" "$following"
own_dir "$2" "$6"
cat >"$own/in"
own_index
# Prints the file names from the input lines that begin with the letter $1. Each name ends with NUL.
names() { sed -n "s/^$1//p" "$own/in" | tr '\n\001' '\0\n'; }
names V | p update-index -z --no-assume-unchanged --stdin || exit 1
names V | p update-index -z --no-skip-worktree --stdin || exit 1
names A | p update-index -z --add --remove --replace --stdin || exit 1
names H | p update-index -z --replace --index-info || exit 1
tree=$(p write-tree --missing-ok) || exit 1
head_tree=$empty
[ -z "$head" ] || head_tree=$(g rev-parse "$head^{tree}") || exit 1
printf '%s\0%s\0' "$tree" "$head_tree"
[ "$objects" = "$common/objects" ] || exit 0
[ -z "$following" ] || [ "$tree" != "$head_tree" ] || exit 0
[ -n "$ref" ] || exit 0
commit=$(p commit-tree "$tree" ${head:+-p "$head"} -m "$message") &&
  g update-ref -m helios "$ref" "$commit" || exit 1
printf '%s\0' "$commit"
[ -n "$following" ] || exit 0
cp -p -- "$own/index" "$git_dir/index.helios" && mv -f -- "$git_dir/index.helios" "$git_dir/index" &&
  g update-ref --no-deref -m helios HEAD "$commit"
