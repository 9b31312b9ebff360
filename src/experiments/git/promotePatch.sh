enter_repo "$1"
promoted_tree "$2"
g diff --binary --full-index --no-ext-diff --no-textconv "${head:-$empty}" "$tree" --
