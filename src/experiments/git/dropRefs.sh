enter_repo "$1"
g for-each-ref --format='delete %(refname)' "$2" | g update-ref --no-deref --stdin
