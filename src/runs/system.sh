# Reads clocks, boot ids and start times of processes. Starts as few programs as possible: the first
# instruction of each run waits for them.

# Sets $found to the value of the line $1=value in file $2. Starts no process; sets $line, too.
find_value() {
  found=
  [ -f "$2" ] || return 0
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in "$1="*) found=${line#*=} ;; esac
  done 2>/dev/null <"$2"
}

# Prints the same value. Must be called in a subshell.
value() {
  find_value "$@"
  printf '%s\n' "$found"
}

now_ms() {
  ms=$(date +%s%3N)
  case $ms in *[!0-9]* | ??????????????*) ms=$(date +%s)000 ;; esac
  echo "$ms"
}

# Sets $found to milliseconds since a fixed time in the past. Setting the clock does not change them
# on a system with /proc/uptime.
find_ticking_ms() {
  if read -r up _ 2>/dev/null </proc/uptime; then found=${up%.*}${up#*.}0; else found=$(now_ms); fi
}

# Prints the same value. Must be called in a subshell.
ticking_ms() {
  find_ticking_ms
  echo "$found"
}

# Sets $found to the id of the boot.
find_boot_id() {
  if read -r found 2>/dev/null </proc/sys/kernel/random/boot_id; then
    # Some systems return only a part of a file in /proc to a shell, which reads byte by byte.
    [ ${#found} -eq 36 ] || found=$(cat /proc/sys/kernel/random/boot_id)
  else
    # The time of the boot changes with the clock.
    found=$(sysctl -n kern.bootsessionuuid 2>/dev/null ||
      sysctl -n kern.boottime 2>/dev/null | sed 's/[^0-9]*\([0-9]*\).*/\1/')
  fi
}

# Prints the same value. Must be called in a subshell.
boot_id() {
  find_boot_id
  printf '%s\n' "$found"
}

# Sets $found to the start time of process $1 in the format of the system; to nothing if the process
# does not exist.
find_start_time() {
  found=
  if [ -r /proc/self/stat ]; then
    read -r stat 2>/dev/null <"/proc/$1/stat" || return 0
    set -f
    # shellcheck disable=SC2086 # Splits the line into words.
    set -- ${stat##*") "}
    set +f
    case $1 in [!ZX]) found=${20} ;; esac
  else
    found=$(LC_ALL=C TZ=UTC0 ps -o lstart= -p "$1" 2>/dev/null | sed 's/^ *//; s/ *$//')
  fi
}

# Prints the same value. Must be called in a subshell.
start_time() {
  find_start_time "$1"
  printf '%s\n' "$found"
}

# Returns whether the process that file $1 identifies exists.
is_alive() {
  [ -s "$1" ] && [ "$(value boot_id "$1")" = "$(boot_id)" ] || return 1
  started=$(value start_time "$1")
  [ -n "$started" ] && [ "$(start_time "$(value pid "$1")")" = "$started" ]
}

begin_waiting() {
  waited=0 napped=
}

# Sleeps 0.1 s. Sets $waited to the milliseconds since begin_waiting, including the work between two
# naps.
nap() {
  sleep 0.1 2>/dev/null || sleep 1
  tick=$(ticking_ms)
  step=$((tick - ${napped:-$tick})) napped=$tick
  # Count a step that is out of bounds as 100 ms: the clock was set, or the computer slept.
  if [ "$step" -lt 100 ] || [ "$step" -gt 30000 ]; then step=100; fi
  waited=$((waited + step))
}
