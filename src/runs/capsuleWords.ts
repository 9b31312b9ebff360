/** What the capsule and those who ask about runs need to know of a machine, as functions of a POSIX shell. */

// `${$}{` is how the shell's own braces are written in a template.
const $ = '$';

/** Clocks, boots and processes. */
export const systemWords = String.raw`
# What file $2 says of $1.
value() {
  sed -n "s/^$1=//p" "$2" 2>/dev/null
}

now_ms() {
  ms=$(date +%s%3N)
  case $ms in *[!0-9]* | ??????????????*) ms=$(date +%s)000 ;; esac
  echo "$ms"
}

# Milliseconds since a moment of the past. Setting the clock does not move it where the system counts them.
ticking_ms() {
  if read -r up _ 2>/dev/null </proc/uptime; then echo "${$}{up%.*}${$}{up#*.}0"; else now_ms; fi
}

boot_id() {
  if [ -r /proc/sys/kernel/random/boot_id ]; then
    cat /proc/sys/kernel/random/boot_id
  else
    sysctl -n kern.boottime 2>/dev/null | sed 's/[^0-9]*\([0-9]*\).*/\1/'
  fi
}

# When process $1 started, as the system tells it; nothing when there is no such process.
start_time() {
  if [ -r /proc/self/stat ]; then
    read -r stat 2>/dev/null <"/proc/$1/stat" || return 0
    set -f
    set -- ${$}{stat##*) }
    set +f
    case $1 in [!ZX]) echo "${$}{20}" ;; esac
  else
    LC_ALL=C TZ=UTC0 ps -o lstart= -p "$1" 2>/dev/null | sed 's/^ *//; s/ *$//'
  fi
}

# Whether the process of file $1 is there.
is_alive() {
  [ -s "$1" ] && [ "$(value boot_id "$1")" = "$(boot_id)" ] || return 1
  started=$(value start_time "$1")
  [ -n "$started" ] && [ "$(start_time "$(value pid "$1")")" = "$started" ]
}

begin_waiting() {
  waited=0 napped=
}

# A moment. $waited: milliseconds since the waiting began, with what was done between the moments.
nap() {
  sleep 0.1 2>/dev/null || sleep 1
  tick=$(ticking_ms)
  step=$((tick - ${$}{napped:-$tick})) napped=$tick
  # Also where the clock was set, or the computer was asleep.
  if [ "$step" -lt 100 ] || [ "$step" -gt 30000 ]; then step=100; fi
  waited=$((waited + step))
}
`;

/** The processes of the run $id, whose folder is $folder. */
export const memberWords = String.raw`
# Who carries the id of the run in the environment. The pattern is never whole in an argument of ours.
carriers() {
  if [ -r /proc/self/stat ]; then
    for environ in $(grep -ls "HELIOS_RUN_ID=$id" /proc/[0-9]*/environ 2>/dev/null); do
      tr '\0' '\n' 2>/dev/null <"$environ" | grep -qx "HELIOS_RUN_ID=$id" && echo "$environ" | tr -dc '0-9\n'
    done
  else
    # In the words of macOS, else in those of everybody else.
    { ps -A -E -ww -o pid= -o command= || ps axeww -o pid= -o command=; } 2>/dev/null | awk -v id="$id" \
      '{ for (i = 2; i <= NF; i++) if ($i == "HELIOS_RUN_ID=" id) { print $1; break } }'
  fi
}

# Its group, its session, and whoever carries its id.
members() {
  carriers=" $(carriers | one_line) "
  if [ -r /proc/self/stat ]; then
    for stat in /proc/[0-9]*/stat; do
      read -r line 2>/dev/null <"$stat" || continue
      is_member "${$}{line%% *}" "${$}{line##*) }"
    done
  else
    ps -A -o pid= -o stat= -o ppid= -o pgid= | while read -r process rest; do is_member "$process" "$rest 0"; done
  fi
}

# $1: pid, $2: state, parent, group, session
is_member() {
  process=$1
  set -f
  set -- $2
  set +f
  case $1 in [ZX]*) return 0 ;; esac
  case $carriers in *" $process "*) echo "$process" && return 0 ;; esac
  [ -n "$group" ] || return 0
  if [ "$3" = "$group" ] || [ "$4" = "$group" ] || [ "$process" = "$group" ]; then echo "$process"; fi
}

# Our group has the pid of the run for its number. The number is not ours any more when a stranger has that pid.
find_group() {
  group=
  [ -r "$folder/process" ] || return 0
  [ "$(value boot_id "$folder/process")" = "$(boot_id)" ] || return 0
  pid=$(value pid "$folder/process")
  now=$(start_time "$pid")
  if [ -z "$now" ] || [ "$now" = "$(value start_time "$folder/process")" ]; then group=$pid; fi
}

one_line() {
  tr '\n' ' '
}
`;
