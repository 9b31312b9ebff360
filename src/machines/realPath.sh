# Prints `=` and the absolute path $p with all its links resolved. The last parts of the path may
# not exist yet. Prints the reason, or nothing, if the path cannot be resolved.
n=0 rest=
while [ -L "$p" ] || [ ! -d "$p" ]; do
  if [ -L "$p" ]; then
    n=$((n + 1))
    [ "$n" -le 40 ] || { echo 'it has too many links'; exit; }
    target=$(readlink "$p" && echo x) || exit
    target=${target%?x}
    case $target in /*) p=$target ;; *) p=${p%/*}/$target ;; esac
  else
    name=${p##*/}
    [ "$name" != .. ] || { echo 'a link in it leads to a missing folder'; exit; }
    rest=/$name$rest
    p=${p%/*}
    [ -n "$p" ] || p=/
  fi
done
folder=$(cd -P "$p" && pwd -P && echo x) || exit
folder=${folder%?x}
[ "$folder" != / ] || folder=
printf '=%s%s' "$folder" "$rest"
