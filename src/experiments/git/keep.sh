# Continues inspect.sh. The first line of the input has a letter for each block of names that follows. A
# block ends with an empty line, the input with the line "end". $8: ref of the commit, $9: its message,
# ${10}: its time, in seconds since the epoch, ${11}: trees to compare with its tree, one per line.
following=$4 ref=$8 message=$9 seconds=${10} others=${11}
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
[ -n "$head_tree" ] || exit 1
print_tree() { if [ -n "$kinds" ]; then p write-tree --missing-ok; else printf '%s\n' "$head_tree"; fi; }
# Prints how the tree $1 differs from others; only the beginning, because a launch waits for it.
print_differences() {
  [ -n "$others" ] || return 0
  section differences
  for other in $others; do printf '%s %s\n' "$other" "$1"; done | compare_trees 2>/dev/null | head -c 600000
}
# Prints the tree and, with $1, its commit.
print_kept() {
  section kept
  printf '%s\0' "$tree" "$head_tree" "$@"
}
# Without a ref or where objects cannot be stored, and without a change in a worktree of Helios, prints
# only the tree.
if [ -z "$ref" ] || [ -n "$following" ] || [ "$objects" != "$common/objects" ]; then
  tree=$(print_tree) || exit 1
  if [ -z "$ref" ] || [ "$tree" = "$head_tree" ] || [ "$objects" != "$common/objects" ]; then
    print_differences "$tree"
    print_kept
    exit 0
  fi
fi
# Reads the tree, and prints the commit as git stores it. Then, beside the programs that store it,
# prints the differences to descriptor 3.
commit_text() {
  IFS= read -r tree || return 1
  printf '%s\n' "$tree" >"$own/tree"
  printf 'tree %s\n' "$tree"
  [ -z "$head" ] || printf 'parent %s\n' "$head"
  for role in author committer; do printf '%s Helios <helios@localhost> %s +0000\n' "$role" "$seconds"; done
  printf '\n%s\n' "$message"
  exec >&3
  print_differences "$tree"
}
ref_update() {
  IFS= read -r commit || return 1
  printf '%s\n' "$commit" >"$own/commit"
  printf 'update %s %s\n' "$ref" "$commit"
}
# The programs start beside each other, because a launch waits for them. Each waits for its input.
{
  print_tree | commit_text | p hash-object -t commit -w --stdin | ref_update | g update-ref -m helios --stdin
} 3>&1 || exit 1
IFS= read -r tree <"$own/tree" && IFS= read -r commit <"$own/commit" || exit 1
print_kept "$commit"
[ -n "$following" ] || exit 0
cp -p -- "$own/index" "$git_dir/index.helios" && mv -f -- "$git_dir/index.helios" "$git_dir/index" &&
  g update-ref --no-deref -m helios HEAD "$commit"
