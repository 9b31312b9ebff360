# Prints the promoted tree, then its commit and the ancestors of that, newest first.
enter_repo "$1"
promoted_tree "$2"
promoted_commit "$3"
printf '%s\n' "$tree"
g rev-list --max-count=20000 "$promoted"
