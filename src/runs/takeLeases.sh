
# Takes leases in the supervisor of a run. Needs leases.sh, $folder, $terms, and the function refuse,
# which ends the supervisor.

# Takes the GPUs and the slot of the run, or refuses to start it.
take_leases() {
  find_value gpus "$terms"
  wanted=$found
  find_value slots "$terms"
  slots=$found
  [ -n "$wanted$slots" ] || return 0
  leases=${folder%/*/*}/leases/$(host_folder)
  unwritable="No lease could be written in $leases. Check its permissions and the free disk space."
  { (umask 077 && mkdir -p "$leases") && [ -s "$folder/capsule" ]; } || refuse '' "$unwritable"
  # List the GPUs before taking the lock: the drivers may need seconds for it.
  [ "${wanted:-0}" -eq 0 ] || gpus=$(gpu_ids "$(value gpu_ids "$terms")")
  lock || refuse busy 'Other runs are being started, so no GPU or slot could be reserved in time. Launch the run again.'
  trouble='' is_busy=''
  choose_gpus
  choose_slot
  [ -n "$trouble" ] || write_leases || trouble=$unwritable
  unlock
  [ -z "$trouble" ] || refuse "$is_busy" "$trouble"
}

# Sets $taken to the ids of free GPUs, separated by commas. $wanted is the number of GPUs to take.
choose_gpus() {
  taken='' count=0 there=0 holders=''
  [ "${wanted:-0}" -gt 0 ] || return 0
  for gpu in $gpus; do
    there=$((there + 1))
    if is_held "$leases/gpu-$gpu"; then
      holders="$holders${holders:+, }GPU $gpu: $(holder "$leases/gpu-$gpu")"
    elif [ "$count" -lt "$wanted" ]; then
      taken="$taken${taken:+,}$gpu" count=$((count + 1))
    fi
  done
  if [ "$there" -eq 0 ]; then
    trouble='This machine has no GPU that runs may use (nvidia-smi and rocm-smi list none). Launch without gpus, or on another machine.'
  elif [ "$there" -lt "$wanted" ]; then
    trouble="GPUs requested: $wanted; runs may use $there on this machine. Request fewer GPUs, or launch on another machine."
  elif [ "$count" -lt "$wanted" ]; then
    is_busy=busy
    trouble="GPUs requested: $wanted; free: $count of $there. In use: $holders. $wait_for_one"
  fi
}

# Sets $slot to the lowest free slot.
choose_slot() {
  slot='' holders='' count=0
  [ -n "$slots" ] && [ -z "$trouble" ] || return 0
  for lease in "$leases"/slot-*; do
    is_held "$lease" || continue
    count=$((count + 1)) holders="$holders${holders:+, }$(holder "$lease")"
  done
  if [ "$count" -ge "$slots" ]; then
    is_busy=busy
    trouble="All $slots slots for runs are in use: $holders. $wait_for_one"
    return 0
  fi
  slot=1
  while is_held "$leases/slot-$slot"; do slot=$((slot + 1)); done
}

wait_for_one='Wait until one of these runs has ended (sleep with a process_exit trigger), then launch again.'

# Prints the name of the run of lease $1, and its session if that is another session.
holder() {
  session=$(value session "$1")
  text="run $(value number "$1")"
  [ "$session" = "$(value session "$terms")" ] || text="$text of session $session"
  echo "$text"
}

write_leases() {
  for name in $(echo "$taken" | tr ',' '\n' | sed '/./s/^/gpu-/') ${slot:+slot-$slot}; do
    {
      printf 'folder=%s\n' "$folder"
      grep -e '^run=' -e '^number=' -e '^session=' "$terms"
    } >"$leases/new" && mv -f "$leases/new" "$leases/$name" || return 1
  done
  printf 'gpus=%s\nslot=%s\n' "$taken" "$slot" >"$folder/lease"
}

# Takes the lock, so that only one supervisor at a time takes leases. Only the lock file with the
# highest number is valid. The lock is free if that file is empty or its supervisor is dead. To take
# the lock, a supervisor creates the file with the next number, and only one can succeed. Removing
# the old file instead could remove a lock that was just taken.
lock() {
  begin_waiting
  while [ "$waited" -lt 15000 ]; do
    turn=$(last_turn)
    if ! is_alive "$(value folder "$leases/lock.$turn")/capsule"; then
      turn=$((turn + 1))
      printf 'folder=%s\n' "$folder" >"$folder/lock" || return 1
      if ln "$folder/lock" "$leases/lock.$turn" 2>/dev/null; then
        # If a higher number exists now, other supervisors took the lock after the check: try again.
        [ "$(last_turn)" -eq "$turn" ] && forget_turns && return 0
        rm -f "$leases/lock.$turn"
      fi
    fi
    nap
  done
  return 1
}

# Releases the lock by emptying its file, of which $folder/lock is a second link.
unlock() {
  : >"$folder/lock"
}

last_turn() {
  last=0
  for file in "$leases"/lock.*; do
    number=${file##*.}
    case $number in *[!0-9]*) continue ;; esac
    [ "$number" -le "$last" ] || last=$number
  done
  echo "$last"
}

forget_turns() {
  for file in "$leases"/lock.*; do
    [ "${file##*.}" -ge "$turn" ] || rm -f "$file"
  done
}

# Exports the GPUs and the number of threads to the command.
export_leases() {
  find_value cpus "$terms"
  threads=$found
  find_value slots "$terms"
  slots=$found
  if [ -z "$threads" ] && [ -n "$slots" ]; then
    threads=$(($(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN) / slots))
    [ "$threads" -gt 0 ] || threads=1
  fi
  if [ -n "$threads" ]; then
    OMP_NUM_THREADS=${OMP_NUM_THREADS:-$threads}
    export OMP_NUM_THREADS
  fi
  find_value gpus "$terms"
  [ -n "$found" ] || return 0
  find_value gpus "$folder/lease"
  taken=$found
  # Number GPUs as nvidia-smi does. For a run without GPUs, use -1, which is no GPU.
  CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=${taken:--1}
  export CUDA_DEVICE_ORDER CUDA_VISIBLE_DEVICES
  # Do not set ROCR_VISIBLE_DEVICES as well: it renumbers the remaining GPUs, and
  # HIP_VISIBLE_DEVICES would then refer to the new numbers.
  if ! command -v nvidia-smi >/dev/null; then
    HIP_VISIBLE_DEVICES=$CUDA_VISIBLE_DEVICES
    export HIP_VISIBLE_DEVICES
  fi
}
