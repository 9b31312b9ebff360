# Prints the promoted commit, then its ancestors, newest first.
enter_repo "$1"
promoted_tree "$2"
promoted_commit "$3"
g rev-list --max-count=20000 "$promoted"
