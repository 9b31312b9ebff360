# Stores commit $2 as ref $3 with message $4, changed by the entries in the input. Prints the tree of
# the result, the tree of the parent, and the commit. Without $3, makes no commit.
enter_repo "$1"
commit=$(g rev-parse -q --verify "$2^{commit}") || exit 85
parent=$(g rev-parse -q --verify "$commit^") || parent=
parent_tree=$empty
[ -z "$parent" ] || parent_tree=$(g rev-parse "$parent^{tree}") || exit 1
own=$(mktemp -d) || exit 1
trap 'rm -rf "$own"' EXIT
export GIT_INDEX_FILE="$own/index"
g read-tree "$commit" && g update-index --index-info && tree=$(g write-tree --missing-ok) || exit 1
if [ "$tree" != "$(g rev-parse "$commit^{tree}")" ]; then
  commit=
  [ -z "$3" ] || commit=$(g commit-tree "$tree" ${parent:+-p "$parent"} -m "$4") || exit 1
fi
[ -z "$3" ] || g update-ref -m helios "$3" "$commit" || exit 1
printf '%s\0%s\0%s' "$tree" "$parent_tree" "$commit"
