# Prints `=` and the absolute path $p with all its links resolved. The last parts of the path may
# not exist yet. Prints the reason, or nothing, if the path cannot be resolved. Changes the folder
# of the shell, which spares the process that a substitution starts.
real_path() {
  n=0 rest=
  while [ -L "$p" ] || [ ! -d "$p" ]; do
    if [ -L "$p" ]; then
      n=$((n + 1))
      [ "$n" -le 40 ] || { echo 'it has too many links'; return; }
      target=$(readlink "$p" && echo x) || return
      target=${target%?x}
      # For bash 3.2, with each ")" a "(": this stands in a command substitution.
      case $target in (/*) p=$target ;; (*) p=${p%/*}/$target ;; esac
    else
      name=${p##*/}
      [ "$name" != .. ] || { echo 'a link in it leads to a missing folder'; return; }
      rest=/$name$rest
      p=${p%/*}
      [ -n "$p" ] || p=/
    fi
  done
  cd -P "$p" || return
  folder=$PWD
  [ "$folder" != / ] || folder=
  printf '=%s%s' "$folder" "$rest"
}
