enter_repo "$1"
commit=$(g rev-parse -q --verify "$2^{commit}") || exit 85
parent=$(g rev-parse -q --verify "$commit^") || parent=$empty
g diff-tree -r -z --name-only --no-renames --diff-filter=A "$parent" "$commit"
