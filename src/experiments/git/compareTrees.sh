# Reads lines with two trees, and prints each with the difference of the trees.
compare_trees() {
  g diff-tree --stdin -r -p --no-ext-diff --no-textconv --no-color --no-renames --ignore-space-at-eol \
    --ignore-blank-lines -U0
}
