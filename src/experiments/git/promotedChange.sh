# Prints how the promoted code differs from the commit that is checked out: files and lines.
enter_repo "$1"
promoted_tree "$2"
g diff --shortstat --no-ext-diff --no-textconv "${head:-$empty}" "$tree" --
