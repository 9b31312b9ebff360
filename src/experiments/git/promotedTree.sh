# Continues usersCommit.sh. Reads the names of files to omit from the input. Sets $commit, $parent and $tree to the code of
# commit $1 without these files.
promoted_tree() {
  users_commit "$1"
  own=$(mktemp -d) || exit 1
  trap 'rm -rf "$own"' EXIT
  GIT_INDEX_FILE=$own/index
  export GIT_INDEX_FILE
  g read-tree "$commit" && g update-index -z --force-remove --stdin && tree=$(g write-tree --missing-ok) || exit 1
}
# Sets $promoted to a commit of $tree with message $1, which no ref names. The same code and message
# give the same commit.
promoted_commit() {
  date=$(g log -1 --format=%ct "$commit")
  GIT_AUTHOR_DATE="$date +0000" GIT_COMMITTER_DATE="$date +0000"
  export GIT_AUTHOR_DATE GIT_COMMITTER_DATE
  promoted=$(g commit-tree "$tree" ${parent:+-p "$parent"} -m "$1") || exit 1
}
