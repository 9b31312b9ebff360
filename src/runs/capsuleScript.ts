/** The text of `capsule.sh`; `capsule.ts` says what it promises. Needs a POSIX shell; uses setsid and /proc where they are. */

// `${$}{` is how the shell's own braces are written in a template.
const $ = '$';

export const capsuleScript = String.raw`#!/bin/sh
# Runs the command of this folder so that it outlives whoever started it, and writes down what became of it.
#   capsule.sh start             start the command and wait for its end
#   capsule.sh signal SIGNAL     signal every process of the run
#   capsule.sh end SIGNAL TICKS  the same, then KILL those that are left after TICKS x 0.1 s, and look again
folder=${$}{0%/*}
id=${$}{folder##*/}

now_ms() {
  ms=$(date +%s%3N)
  case $ms in *[!0-9]* | ??????????????*) ms=$(date +%s)000 ;; esac
  echo "$ms"
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
    echo "${$}{20}"
  else
    LC_ALL=C TZ=UTC0 ps -o lstart= -p "$1" | sed 's/ *$//'
  fi
}

# The system's count of processes that it ended for want of memory in our control group.
oom_kills() {
  [ -r /proc/self/cgroup ] || return 0
  while IFS=: read -r _ kinds path; do
    case ,$kinds, in
      ,,) root=/sys/fs/cgroup name=memory.events ;;
      *,memory,*) root=/sys/fs/cgroup/memory name=memory.oom_control ;;
      *) continue ;;
    esac
    for file in "$root$path/$name" "$root/$name"; do
      [ -r "$file" ] && sed -n 's/^oom_kill //p' "$file" && break
    done
  done </proc/self/cgroup
}

beat() {
  trap 'kill "$nap" 2>/dev/null; exit' TERM
  while kill -0 "$$" 2>/dev/null; do
    : >"$folder/heartbeat"
    sleep 5 &
    nap=$!
    wait "$nap"
  done
}

# The command, in a session of its own. It becomes the command, so its pid and start time are those of the run.
command_of_run() {
  exec >>"$folder/output.log" 2>&1 </dev/null
  printf 'pid=%s\nstart_time=%s\nboot_id=%s\nstarted_ms=%s\n' "$$" "$(start_time $$)" "$(boot_id)" "$(now_ms)" \
    >"$folder/process.tmp" && mv -f "$folder/process.tmp" "$folder/process" || exit 126
  HELIOS_RUN_ID=$id
  export HELIOS_RUN_ID
  [ -x /bin/bash ] && exec /bin/bash "$folder/command.sh"
  exec "$(command -v bash || echo /bin/sh)" "$folder/command.sh"
}

start() {
  mkdir "$folder/claim" 2>/dev/null || exit 0
  # A handler, not "ignore": that would be inherited by the command.
  trap : HUP INT TERM
  # The room for the exit record is taken now: the disk may be full by then.
  printf '%127s\n' '' >"$folder/exit.tmp"
  before=$(oom_kills)
  beat &
  beat=$!
  # In the foreground, for a command in the background of a shell cannot be interrupted (INT, QUIT).
  if command -v setsid >/dev/null; then
    setsid /bin/sh "$0" command
  else
    set -m
    /bin/sh "$0" command
  fi
  code=$?
  ended_ms=$(now_ms)
  oom=0
  [ "$before" = "$(oom_kills)" ] || oom=1
  killed=0
  [ -e "$folder/kill" ] && killed=1
  kill "$beat" 2>/dev/null
  printf 'code=%s\nended_ms=%s\noom=%s\nkilled=%s\n' "$code" "$ended_ms" "$oom" "$killed" 1<>"$folder/exit.tmp"
  mv -f "$folder/exit.tmp" "$folder/exit"
}

field() {
  sed -n "s/^$1=//p" "$folder/process"
}

# Who belongs to the run: its group, its session, and whoever carries its id in the environment.
members() {
  if [ -r /proc/self/stat ]; then
    carriers=" $(grep -lszx "HELIOS_RUN_ID=$id" /proc/[0-9]*/environ | sed 's/[^0-9]//g' | tr '\n' ' ') "
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
  [ "$(field boot_id)" = "$(boot_id)" ] || return 0
  pid=$(field pid)
  now=$(start_time "$pid")
  if [ -z "$now" ] || [ "$now" = "$(field start_time)" ]; then group=$pid; fi
}

one_line() {
  tr '\n' ' '
}

signal_all() {
  find_group
  signalled=$(members | one_line)
  [ -z "$signalled" ] || [ -z "$2" ] || : >"$folder/kill"
  # Without quotes: a list of pids.
  [ -z "$signalled" ] || kill -s "$1" $signalled 2>/dev/null
}

end_all() {
  signal_all "$1" ending
  ticks=0 escalated=0 left=$signalled
  while [ -n "$left" ] && [ "$ticks" -lt "$(($2 + 50))" ]; do
    if [ "$ticks" -ge "$2" ]; then
      escalated=1
      kill -s KILL $left 2>/dev/null
    fi
    sleep 0.1 2>/dev/null || sleep 1
    ticks=$((ticks + 1))
    left=$(members | one_line)
  done
}

case $1 in
  start) start ;;
  command) command_of_run ;;
  signal)
    signal_all "$2"
    printf 'signalled=%s\nleft=%s\n' "$signalled" "$(members | one_line)"
    ;;
  end)
    end_all "$2" "$3"
    printf 'signalled=%s\nescalated=%s\nleft=%s\n' "$signalled" "$escalated" "$left"
    ;;
esac
`;
