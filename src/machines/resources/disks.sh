# For each folder in the arguments, prints its path and then the line that df reports for it. For a
# missing folder, df reports on the closest existing parent.
for f; do
  p=$f; while [ ! -e "$p" ] && [ "$p" != / ]; do p=${p%/*}; [ -n "$p" ] || p=/; done
  printf '%s\n' "$f"; df -Pk "$p" | tail -n 1
done
