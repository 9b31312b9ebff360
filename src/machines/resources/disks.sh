# For each of its arguments, the folder itself, then what df says of it. Of folders that are not there yet: where they would
# be made.
for f; do
  p=$f; while [ ! -e "$p" ] && [ "$p" != / ]; do p=${p%/*}; [ -n "$p" ] || p=/; done
  printf '%s\n' "$f"; df -Pk "$p" | tail -n 1
done
