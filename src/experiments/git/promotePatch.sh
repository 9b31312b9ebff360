enter_repo "$1"
commit=$(g rev-parse -q --verify "$2^{commit}") || exit 85
g diff --binary --full-index --no-ext-diff --no-textconv "${head:-$empty}" "$commit" --
