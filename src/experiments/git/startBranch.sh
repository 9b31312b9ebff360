enter_repo "$1"
ref=$2 from=$3
if g rev-parse -q --verify "$ref^{commit}" >/dev/null; then exit 86; fi
commit=$(g rev-parse -q --verify "$from^{commit}") || exit 85
g update-ref -m helios "$ref" "$commit" ""
