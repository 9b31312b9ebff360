# For each argument, prints the folder and what df reports of it. For a missing folder, df reads its
# closest existing parent.
for f; do
  p=$f; while [ ! -e "$p" ] && [ "$p" != / ]; do p=${p%/*}; [ -n "$p" ] || p=/; done
  printf '%s\n' "$f"; df -Pk "$p" | tail -n 1
done
