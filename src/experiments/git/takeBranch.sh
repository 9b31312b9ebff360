# Creates branch $2 at commit $3, whose objects are in the input as a pack. Creates no branch if an
# object of the commit is missing.
enter_repo "$1"
new_branch "$2"
g unpack-objects -q --strict || exit 1
g rev-list --objects --quiet "$3" --not --all || exit 1
g update-ref -m 'helios: promoted' "refs/heads/$2" "$3" ""
