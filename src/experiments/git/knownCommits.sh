# Prints the root of the worktree, ending with NUL, and the commits of the input that the repository
# contains.
enter_repo "$1"
new_branch "$2"
printf '%s\0' "$top"
g cat-file --batch-check='%(objecttype) %(objectname)' | sed -n 's/^commit //p' | head -n 256
