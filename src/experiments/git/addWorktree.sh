enter_repo "$1"
path=$2 ref=$3
commit=$(g rev-parse -q --verify "$ref^{commit}") || exit 85
(umask 077 && mkdir -p -- "${path%/*}") && path=$(cd -- "${path%/*}" && pwd -P)/${path##*/} || exit 1
admin() {
  set +f
  grep -lxF -e "$path/.git" /dev/null "$common"/worktrees/*/gitdir 2>/dev/null | sed 's|/gitdir$||'
  set -f
}
is_whole() {
  [ -e "$path/.git" ] && [ -n "$(admin)" ] && [ -e "$(admin)/helios" ]
}
is_new=0
if ! is_whole; then
  is_new=1
  # Git has a record of the folder as a worktree, but the folder is incomplete. Its creation was
  # interrupted, so it contains no work and can be removed.
  [ ! -e "$path" ] || [ -z "$(admin)" ] || rm -rf -- "$path"
  [ -z "$(admin)" ] || rm -rf -- "$(admin)"
  [ ! -e "$path" ] || { echo "$path exists already and is not a worktree of this repository" >&2; exit 86; }
  begin_own "$4" "$5"
  own_dir
  g worktree add --detach --no-checkout -- "$path" "$commit" >/dev/null || exit 1
  made=$(admin)
  [ -n "$made" ] || exit 1
  # If the user's checkout is sparse, checks out only the same files.
  if [ -f "$made/info/sparse-checkout" ] && [ "$(g config --bool core.sparseCheckout)" = true ]; then
    cp -- "$made/info/sparse-checkout" "$own/info/sparse-checkout"
    g config --get-regexp '^core\.sparsecheckout(cone)?$' | settings '' >>"$own/config"
  fi
  tree_at=$path index=$made/index p read-tree --reset -u "$commit" >&2 || exit 1
  printf '%s\n' "$top" >"$path.repo" && : >"$made/helios" || exit 1
fi
has_pointers=0
! g grep -qE 'filter=lfs' "$commit" -- .gitattributes '*/.gitattributes' || has_pointers=1
printf '%s\0%s\0%s\0%s\0' "$commit" "$path" "$is_new" "$has_pointers"
