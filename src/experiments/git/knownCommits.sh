# Prints the root of the worktree and the commit of branch $2 if that holds tree $3, each ending with
# NUL, and the commits of the input that the repository contains.
enter_repo "$1"
new_branch "$2" "$3"
printf '%s\0%s\0' "$top" "$held"
g cat-file --batch-check='%(objecttype) %(objectname)' | sed -n 's/^commit //p' | head -n 256
