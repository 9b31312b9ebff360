# Sets $commit to the commit $1, and $parent to its nearest ancestor that Helios did not make, or that
# is checked out; empty if there is none.
users_commit() {
  commit=$(g rev-parse -q --verify "$1^{commit}") || exit 85
  parent=$commit
  while :; do
    parent=$(g rev-parse -q --verify "$parent^") || parent=
    [ -n "$parent" ] || break
    [ "$(g log -1 --format=%ae "$parent")" = "$GIT_AUTHOR_EMAIL" ] || break
    [ -z "$head" ] || ! g merge-base --is-ancestor "$parent" "$head" || break
  done
}
