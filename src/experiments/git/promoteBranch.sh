enter_repo "$1"
new_branch "$2"
promoted_tree "$3"
promoted_commit "$4"
g update-ref -m 'helios: promoted' "refs/heads/$2" "$promoted" "" || exit 1
printf '%s' "$promoted"
