# Continues inspect.sh. The first line of the input has a letter for each block of names that follows. A
# block ends with an empty line, the input with the line "end". $8: ref of the commit, $9: its message.
following=$4 ref=$8 message=$9
ask
IFS= read -r kinds || exit 1
block() {
  while IFS= read -r line && [ -n "$line" ]; do printf '%s\n' "$line"; done
}
update() {
  case $kinds in *"$1"*) ;; *) return 0 ;; esac
  shift
  block | p update-index "$@" || exit 1
}
update V --no-assume-unchanged --stdin
update S --no-skip-worktree --stdin
update A --add --remove --replace --stdin
update H --replace --index-info
# Without this line, names may be missing: the connection broke.
IFS= read -r line && [ "$line" = end ] || exit 1
[ -n "$head" ] || head_tree=$empty
tree=$head_tree
[ -z "$kinds" ] || tree=$(p write-tree --missing-ok) || exit 1
[ -n "$head_tree" ] || exit 1
section kept
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
