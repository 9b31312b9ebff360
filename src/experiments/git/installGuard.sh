dir=$1
command -v git >/dev/null || { echo none; exit 0; }
if ! [ -x "$dir/git" ]; then
  new=$dir.$$
  mkdir -p -- "$new/template" && cat >"$new/git" && chmod 755 "$new/git" || exit 1
  printf %s "$2" >"$new/env" && : >"$new/.helios-git-guard" && : >"$new/template/helios-own" || exit 1
  [ -e "$dir" ] || mv -- "$new" "$dir"
  rm -rf -- "$new"
fi
PATH=$dir:$PATH git --version >/dev/null && echo ready
