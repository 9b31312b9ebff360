
# Finds the processes of the run $id, whose folder is $folder. Needs system.sh.

# Prints the pids of the processes whose environment contains the id of the run.
carriers() {
  if [ -r /proc/self/stat ]; then
    # shellcheck disable=SC2013 # None of these names has a blank.
    for environ in $(grep -ls "HELIOS_RUN_ID=$id" /proc/[0-9]*/environ 2>/dev/null); do
      tr '\0' '\n' 2>/dev/null <"$environ" | grep -qx "HELIOS_RUN_ID=$id" && echo "$environ" | tr -dc '0-9\n'
    done
  else
    # The ps options of macOS; if they fail, those of other systems. ps prints arguments, too, so no
    # argument of awk may equal the text that awk searches for.
    { ps -A -E -ww -o pid= -o command= || ps axeww -o pid= -o command=; } 2>/dev/null | awk -v id="$id" \
      '{ for (i = 2; i <= NF; i++) if ($i == "HELIOS_RUN_ID=" id) { print $1; break } }'
  fi
}

# Prints the pids of the run's processes: those in its process group, in its session, or with its id
# in their environment.
members() {
  carriers=" $(carriers | one_line) "
  if [ -r /proc/self/stat ]; then
    for stat in /proc/[0-9]*/stat; do
      read -r line 2>/dev/null <"$stat" || continue
      is_member "${line%% *}" "${line##*) }"
    done
  else
    ps -A -o pid= -o stat= -o ppid= -o pgid= | while read -r process rest; do is_member "$process" "$rest 0"; done
  fi
}

# Prints pid $1 if its process belongs to the run. $2: state, parent, group, session of the process
is_member() {
  process=$1
  set -f
  # shellcheck disable=SC2086 # Splits $2 into words.
  set -- $2
  set +f
  case $1 in [ZX]*) return 0 ;; esac
  case $carriers in *" $process "*) echo "$process" && return 0 ;; esac
  [ -n "$group" ] || return 0
  if [ "$3" = "$group" ] || [ "$4" = "$group" ] || [ "$process" = "$group" ]; then echo "$process"; fi
}

# Sets $group to the process group of the run, whose id is the pid of the run. Empty if another
# process has that pid now.
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
