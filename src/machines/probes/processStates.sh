# Prints the state of each process of $found: from /proc on Linux, else from ps.
for p in $found; do
  l=
  if [ -r /proc/self/stat ]; then
    l=$(while IFS= read -r x; do printf '%s ' "$x"; done <"/proc/$p/stat")
    [ -z "$l" ] || printf 'stat %s %s\n' "$p" "$l"
  else
    # Without a time zone, whose clock changes twice a year.
    l=$(TZ=UTC0 ps -o stat= -o lstart= -p "$p")
    [ -z "$l" ] || printf 'ps %s %s\n' "$p" "$l"
  fi
  [ -n "$l" ] || ! kill -0 "$p" || printf 'alive %s\n' "$p"
done
echo end
