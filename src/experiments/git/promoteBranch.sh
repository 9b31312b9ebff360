# Prints whether the branch is new or held before, its commit and the root of the worktree.
enter_repo "$1"
promoted_tree "$3"
new_branch "$2" "$tree"
if [ -n "$held" ]; then
  printf 'held\n%s\n%s' "$held" "$top"
  exit
fi
promoted_commit "$4"
g update-ref -m 'helios: promoted' "refs/heads/$2" "$promoted" "" || exit 1
printf 'new\n%s\n%s' "$promoted" "$top"
