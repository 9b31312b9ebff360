
# Main part of the supervisor, which supervisor.ts describes. supervisorScript.ts puts the functions
# of the other files before this text.
#
# Runs the command of this folder, outlives the process that started it, and records its end.
#
#   capsule.sh start             start the command and wait for its end
#   capsule.sh signal SIGNAL     signal every process of the run
#   capsule.sh end SIGNAL TICKS  signal every process of the run, then send KILL to the processes
#                                left after TICKS x 0.1 s
# Programs of the system come first: an earlier command, confined or not, may have put others into a
# folder of PATH. The command gets the PATH of the user.
user_path=$PATH
PATH=/usr/bin:/bin:/usr/sbin:/sbin:$PATH
folder=${0%/*}
id=${folder##*/}
terms=$folder/terms
# Only the user can access the files of the run. The command gets the umask of the user.
[ "$1" != start ] || mask=$(umask)
umask 077

# Prints how many processes of this control group the system has killed for lack of memory.
oom_kills() {
  [ -r /proc/self/cgroup ] || return 0
  while IFS=: read -r _ kinds path; do
    case ,$kinds, in
      ,,) root=/sys/fs/cgroup name=memory.events ;;
      *,memory,*) root=/sys/fs/cgroup/memory name=memory.oom_control ;;
      *) continue ;;
    esac
    for file in "$root$path/$name" "$root/$name"; do
      [ -r "$file" ] || continue
      while read -r event count; do [ "$event" != oom_kill ] || echo "$count"; done <"$file"
      break
    done
  done </proc/self/cgroup
}

# Removes file $1 if it is a link. The command can write to this folder, but must not determine
# which file the supervisor writes.
remove_link() { [ ! -h "$folder/$1" ] || rm -f "$folder/$1"; }

# Touches the heartbeat at intervals, and ends the run when its time limit is reached. Runs in a
# separate process.
guard() {
  trap 'kill "$sleeper" 2>/dev/null; exit 0' TERM
  find_value limit_ms "$terms"
  limit=$found
  find_value max_ms "$terms"
  most=$found
  find_value grace_ms "$terms"
  grace=$found lived=0 since=
  find_value limit_from "$terms"
  [ "$found" = first_metric ] || since=0
  find_ticking_ms
  seen=$found
  # Continue while the run is alive, even if the supervisor is dead: the time limit still applies.
  while kill -0 "$$" 2>/dev/null || is_alive "$folder/process"; do
    remove_link heartbeat
    : >"$folder/heartbeat"
    choose_pause
    sleep "$pause" &
    sleeper=$!
    wait "$sleeper"
    count_time
    is_time_over || continue
    trap '' TERM
    end_all TERM "$grace" limit
    [ -n "$left" ] || return 0
  done
}

# Sets $pause to the seconds until the next check.
choose_pause() {
  pause=5
  [ -n "$limit" ] || return 0
  pause=1
  [ -n "$since" ] || return 0
  rest=$((since + limit - lived))
  [ "$rest" -gt 100 ] || rest=100
  if [ "$rest" -gt 5000 ]; then
    pause=5
  elif sleep 0.01 2>/dev/null; then
    pause=$((rest / 1000)).$(printf %03d $((rest % 1000)))
  else
    pause=$(((rest + 999) / 1000))
  fi
}

# Updates $lived, the milliseconds for which the run has been active, and $since, the value of
# $lived at which the clock of the time limit started.
count_time() {
  [ -n "$limit" ] || return 0
  find_ticking_ms
  step=$((found - seen)) seen=$found
  # After a sleep of the computer or a change of its clock, add only the pause to the run's time.
  if [ "$step" -lt 0 ] || [ "$step" -gt 30000 ]; then step=$((${pause%.*} * 1000)); fi
  lived=$((lived + step))
  [ -z "$since" ] || return 0
  age=$(value age_ms "$folder/first_metric")
  [ -z "$age" ] || since=$((age < 0 ? lived : age > lived ? 0 : lived - age))
}

is_time_over() {
  [ -n "$limit" ] && [ -s "$folder/process" ] || return 1
  [ -z "$most" ] || [ "$lived" -lt "$most" ] || return 0
  [ -n "$since" ] && [ "$((lived - since))" -ge "$limit" ]
}

# Writes the identity of process $2, which started at $started_ms, to file $1. $3: its GPUs. Some
# shells write each line by itself, so the pid comes last: without it, the file is incomplete.
identify() {
  find_start_time "$2"
  printf 'gpus=%s\nstart_time=%s\nboot_id=%s\nstarted_ms=%s\npid=%s\n' \
    "$3" "$found" "$boot" "$started_ms" "$2" >"$folder/$1"
}

# Runs the command in a separate session with umask $1 and PATH $2. This process becomes the command,
# so its pid, $6, and start time identify the run. $3: the boot id, $4 and $5: the values of now_ms and
# ticking_ms at the same moment, so that no program is needed for the time. $7: the program that makes
# the session, if this process is in none of its own.
command_of_run() {
  exec >>"$folder/output.log" 2>&1 </dev/null
  find_ticking_ms
  boot=$3 started_ms=$(($4 + found - $5))
  find_value gpus "$folder/lease"
  identify process "$6" "$found" || { rm -f "$folder/process"; exit 126; }
  umask "$1"
  PATH=$2
  export_leases
  HELIOS_RUN_ID=$id
  export HELIOS_RUN_ID
  guard_git
  shift 6
  [ ! -e "$folder/confine.sh" ] || set -- "$@" /bin/sh "$folder/confine.sh"
  shell=/bin/bash
  [ -x "$shell" ] || shell=$(command -v bash || echo /bin/sh)
  exec "$@" "$shell" "$folder/command.sh"
}

# Puts the git guard (a script named git) before git itself in PATH, for the command and its
# children.
guard_git() {
  # shellcheck disable=SC1091 # On the machine of the run.
  if [ -n "$HELIOS_GIT_GUARD" ] && [ -r "$HELIOS_GIT_GUARD/env" ]; then . "$HELIOS_GIT_GUARD/env"; fi
}

start() {
  # Fails if the file or, from an earlier version, the folder exists.
  set -C
  printf '' 2>/dev/null >"$folder/claim" || exit 0
  set +C
  # Ignore these signals with a handler that does nothing: the command would inherit an empty trap.
  trap : HUP INT TERM
  # Reserve the disk space of the exit record: the disk may be full when the run ends.
  printf '%127s\n' '' >"$folder/exit.tmp"
  find_boot_id
  boot=$found started_ms=$(now_ms)
  find_ticking_ms
  ticks=$found
  remove_link capsule
  identify capsule "$$" ''
  take_leases
  begin_metrics
  before=$(oom_kills)
  guard 9>&- &
  guard=$!
  # Run in the foreground: a background command of a shell ignores INT and QUIT.
  set -- "$mask" "$user_path" "$boot" "$started_ms" "$ticks"
  session=$(command -v setsid)
  if [ -n "$session" ] && [ -r /proc/self/stat ]; then
    (read -r self _ </proc/self/stat && command_of_run "$@" "$self" "$session") 9>&-
  else
    set -- /bin/sh "$0" command "$@"
    # With set -m, a command that is paused counts as ended: only where nothing else makes a group.
    if [ -n "$session" ]; then
      set -- setsid "$@"
    elif command -v perl >/dev/null; then
      set -- perl -MPOSIX -e 'setsid();exec(@ARGV)' "$@"
    else
      set -m
    fi
    "$@" 9>&-
  fi
  code=$?
  end_guard
  if [ -e "$folder/kill" ]; then await_end; elif [ -e "$folder/confine.sh" ]; then end_rest; fi
  end_metrics
  oom=0
  [ "$before" = "$(oom_kills)" ] || oom=1
  record "$code" "$oom"
  # Exit with the code of the command, for a scheduler.
  exit "$code"
}

# Starts to read the metrics of the files that metrics_from.json names; confined, if the command is.
# The reader ends when descriptor 9 is closed, also by the death of this process. Waits for its first
# line: it then knows which files exist before the command starts.
begin_metrics() {
  reader=
  [ -e "$folder/metrics.py" ] || return 0
  command -v python3 >/dev/null ||
    refuse '' "metrics_from needs python3 on this machine. Install it, or print the metrics to stdout."
  remove_link metrics.jsonl
  : >>"$folder/metrics.jsonl"
  old=$(size_of_metrics)
  rm -f "$folder/metrics.end"
  mkfifo "$folder/metrics.end" || refuse '' "The files of metrics_from cannot be read."
  exec 9<>"$folder/metrics.end"
  set -- python3 -I -S "$folder/metrics.py" "$folder/metrics_from.json"
  [ ! -e "$folder/confine.sh" ] || set -- /bin/sh "$folder/confine.sh" "$@"
  # A scheduler sends TERM to every process of a job, and the command may continue for a while.
  (trap '' TERM HUP INT && exec "$@") 9>&- <"$folder/metrics.end" >>"$folder/metrics.jsonl" 2>>"$folder/output.log" &
  reader=$!
  begin_waiting
  while [ "$(size_of_metrics)" = "$old" ] && [ "$waited" -lt 20000 ]; do
    kill -0 "$reader" 2>/dev/null || refuse '' "The files of metrics_from cannot be read."
    nap
  done
}

size_of_metrics() { wc -c <"$folder/metrics.jsonl"; }

# Waits until the reader has read everything.
end_metrics() {
  [ -n "$reader" ] || return 0
  exec 9>&-
  begin_waiting
  while kill -0 "$reader" 2>/dev/null && [ "$waited" -lt 20000 ]; do nap; done
  kill -KILL "$reader" 2>/dev/null
}

# Ends the guard. If the guard is ending the run, waits until it has finished.
end_guard() {
  kill "$guard" 2>/dev/null
  # Send the signal again until the guard has ended: a shell that is starting a process can lose it.
  { while nap && kill "$guard"; do :; done; } 2>/dev/null &
  resender=$!
  while kill -0 "$guard" 2>/dev/null; do wait "$guard" 2>/dev/null; done
  kill "$resender" 2>/dev/null
  wait "$resender" 2>/dev/null
}

# Waits until all processes of a run that is being ended are gone. After the shell of the run is
# gone, its other processes may still save work and write output.
await_end() {
  find_group
  begin_waiting
  while [ -n "$(members)" ] && [ "$waited" -lt "$(($(value grace_ms "$folder/kill") + 10000))" ]; do nap; done
}

# Ends the processes that a confined command has left. Its first process remains as long as there are
# others, and the others end with it, also those that members() does not find.
end_rest() {
  find_group
  [ -z "$(members)" ] || end_all TERM 2000 ''
}

record() {
  killed=0 limit=0 started=0
  [ ! -e "$folder/kill" ] || killed=1
  [ ! -e "$folder/limit" ] || limit=1
  [ ! -s "$folder/process" ] || started=1
  remove_link exit.tmp
  printf 'code=%s\nended_ms=%s\noom=%s\nkilled=%s\nlimit=%s\nstarted=%s\n' \
    "$1" "$(now_ms)" "$2" "$killed" "$limit" "$started" 1<>"$folder/exit.tmp"
  mv -f "$folder/exit.tmp" "$folder/exit"
}

# Ends the supervisor without starting the run. $1: name of the mark file to write (busy), or empty;
# $2: the reason, for the output.
refuse() {
  echo "$2" >>"$folder/output.log"
  [ -z "$1" ] || : >"$folder/$1"
  record 75 0
  exit 0
}

# Sends signal $1 to every process of the run. To end the run, pass $2, the milliseconds until KILL,
# and $3, the mark file (kill or limit); only the first mark is written.
signal_all() {
  find_group
  signalled=$(members | one_line)
  [ -n "$signalled" ] || return 0
  if [ -n "$3" ] && [ ! -e "$folder/kill" ] && [ ! -e "$folder/limit" ]; then
    remove_link "$3"
    printf 'grace_ms=%s\n' "$2" >"$folder/$3"
  fi
  recipients=$signalled
  # The first process of a confined run waits for the command and reports how it ended. The other
  # processes get the signal themselves.
  # shellcheck disable=SC2086 # A list of pids.
  case $1 in
    KILL | STOP | CONT) ;;
    USR?)
      # The signal would end a process that has no handler, so send it only to processes with one.
      # shellcheck disable=SC2086 # A list of pids.
      signalled=$(handlers "$1" $signalled | one_line) recipients=$signalled
      [ -n "$signalled" ] || return 0
      ;;
    *) [ ! -e "$folder/confine.sh" ] || recipients=$(printf '%s\n' $signalled | grep -vx "$group") ;;
  esac
  # shellcheck disable=SC2086 # A list of pids.
  kill -s "$1" $recipients 2>/dev/null
}

# Prints the pids after $1 whose processes handle signal $1; all pids if the system does not report
# this. A shell handles signals that end it, so a shell counts only if the command sets a trap.
handlers() {
  bit=9
  [ "$1" = USR1 ] || bit=11
  shift
  for process; do
    case $(cat "/proc/$process/comm" 2>/dev/null) in
      *sh) grep -q trap "$folder/command.sh" || continue ;;
    esac
    caught=$(sed -n 's/^SigCgt:.*\(....\)$/\1/p' "/proc/$process/status" 2>/dev/null)
    # A process that has ended in the meantime has no status.
    [ -e /proc/self ] && [ $((0x${caught:-0} >> bit & 1)) -eq 0 ] || echo "$process"
  done
}

end_all() {
  signal_all "$1" "$2" "$3"
  escalated=0 left=$signalled
  begin_waiting
  while [ -n "$left" ] && { [ "$escalated" -eq 0 ] || [ "$waited" -lt "$(($2 + 5000))" ]; }; do
    if [ "$waited" -ge "$2" ]; then
      escalated=1
      # shellcheck disable=SC2086 # A list of pids.
      kill -s KILL $left 2>/dev/null
    fi
    nap
    left=$(members | one_line)
  done
}

case $1 in
  start) start ;;
  command) shift && command_of_run "$@" $$ ;;
  signal)
    signal_all "$2"
    printf 'signalled=%s\nleft=%s\n' "$signalled" "$(members | one_line)"
    ;;
  end)
    end_all "$2" "$(($3 * 100))" kill
    printf 'signalled=%s\nescalated=%s\nleft=%s\n' "$signalled" "$escalated" "$left"
    ;;
esac
