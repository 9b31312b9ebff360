# Reads the names of files to leave out from the input. Sets $commit, $parent and $tree: the code of
# commit $1 without these files.
promoted_tree() {
  commit=$(g rev-parse -q --verify "$1^{commit}") || exit 85
  parent=$(g rev-parse -q --verify "$commit^") || parent=
  own=$(mktemp -d) || exit 1
  trap 'rm -rf "$own"' EXIT
  GIT_INDEX_FILE=$own/index
  export GIT_INDEX_FILE
  g read-tree "$commit" && g update-index -z --force-remove --stdin && tree=$(g write-tree --missing-ok) || exit 1
}
