dir=$1
env=$(printf %s "$2")
git=$(cat)
command -v git >/dev/null || { echo none; exit 0; }
umask 077
# Removes the access of other users, which an earlier version may have left.
case $dir in */.helios/git-guard-*) chmod go= "${dir%/*}" 2>/dev/null ;; esac
chmod -R go= "$dir" 2>/dev/null

# Returns whether the guard belongs to the user, is complete, and is the only content of its folder.
# Anything else in the folder would come first in PATH, too.
is_intact() {
  [ -O "$dir" ] && [ -x "$dir/git" ] && [ "$(cat "$dir/git")" = "$git" ] && [ "$(cat "$dir/env")" = "$env" ] &&
    [ "$(cd "$dir" && find . | LC_ALL=C sort | tr '\n' ' ')" = '. ./.helios-git-guard ./env ./git ./template ./template/helios-own ' ]
}

if ! is_intact 2>/dev/null; then
  new=$dir.$$
  mkdir -p -- "$new/template" && printf '%s\n' "$git" >"$new/git" && chmod 700 "$new/git" || exit 1
  printf '%s\n' "$env" >"$new/env" && : >"$new/.helios-git-guard" && : >"$new/template/helios-own" || exit 1
  # Another process may have installed the guard in the meantime.
  is_intact 2>/dev/null || rm -rf -- "$dir"
  [ -e "$dir" ] || mv -- "$new" "$dir"
  rm -rf -- "$new"
fi
is_intact 2>/dev/null && PATH=$dir:$PATH git --version >/dev/null && echo ready
