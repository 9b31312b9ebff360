# Sets $all to the processes that are neither Helios nor its queries. Excludes the process group of
# the fragments; $shell (the querying shell), its group and its ancestors; shells that have $loop in
# their arguments; and each Helios with its ancestors, whose arguments may contain a goal.
f='-o pid= -o ppid= -o pgid= -o args='
# shellcheck disable=SC2086 # $f contains several options.
all=$(ps -A -ww $f || ps -A $f || ps -o pid,ppid,pgid,args)
all=$(printf '%s\n' "$all" | awk -v q="$$" -v s="$shell" -v m="$loop" '
  function is_helios(  i) {
    for (i = 4; i < 9 && i <= NF; i++) {
      if ($i ~ /(^|\/)(helios|cli\.cjs)$/) return 1
      if (i > 4 && $i !~ /^-/) return 0
    }
    return 0
  }
  $1 ~ /^[0-9]+$/ { n++; id[n] = $1; parent[$1] = $2; group[$1] = $3; line[n] = $0; if (is_helios()) us[$1] = 1 }
  END {
    for (h in us) for (a = h; a > 1 && !(a in own); a = parent[a]) own[a] = 1
    for (a = s; a > 1 && !(a in own); a = parent[a]) own[a] = 1
    for (i = 1; i <= n; i++)
      if (!(id[i] in own) && group[id[i]] != group[q] && group[id[i]] != group[s] && !index(line[i], m)) print line[i]
  }')
args=$(printf '%s\n' "$all" | sed 's/^ *[0-9]* *[0-9]* *[0-9]* //')

# Prints the processes whose arguments match. $1: index of the pattern; $2: the pattern. Adds their
# pids to $found.
match() {
  hits=$(printf '%s\n' "$args" | grep -nE -e "$2"); r=$?
  printf 'pattern %s %s\n' "$1" "$r"
  now=$(printf '%s\n' "$all" | sed -n "$(printf '%s\n' "$hits" | sed -n '1,50s/:.*/p/p')")
  printf '%s\n' "$now" | cut -c 1-200 | sed 's/^/match /'
  found="$found $(printf '%s\n' "$now" | awk '{ print $1 }')"
}
