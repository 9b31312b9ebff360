
# Leases of GPUs and slots. $leases, next to the runs folder, has one folder per host, because hosts
# may share a home. Its files gpu-0, slot-1, ... each name the folder of the run that has the lease.
# A lease is valid while its run is active, so no release is needed. Needs system.sh and members.sh.

# Prints the name of the folder of this host. The name of a Mac changes with its network.
host_folder() {
  uuid=
  [ "$(uname)" != Darwin ] ||
    uuid=$(ioreg -rd1 -c IOPlatformExpertDevice 2>/dev/null | sed -n 's/.*"IOPlatformUUID" = "\([0-9A-Fa-f-]*\)".*/\1/p')
  echo "${uuid:-$(uname -n)}"
}

# Prints the GPUs that runs may lease, in the order of $1, a list of indexes and UUIDs. Default: the
# GPUs in CUDA_VISIBLE_DEVICES, otherwise all.
gpu_ids() {
  set -- "${1:-${CUDA_VISIBLE_DEVICES-}}"
  there=$(gpus_there)
  [ -n "$1" ] || echo "$there" | cut -d , -f 1
  for wanted_id in $(echo "$1" | tr ',' ' ' | tr -dc 'A-Za-z0-9 -'); do
    case $wanted_id in
      MIG-*) echo "$wanted_id" ;;
      *) echo "$there" | sed -n "s/^\($wanted_id\)$/\1/p; s/^\($wanted_id\),.*/\1/p; s/^\([0-9]*\),$wanted_id$/\1/p" ;;
    esac
  done
}

# Prints the GPUs of this host, one per line: index,uuid (NVIDIA) or index (AMD). Ignores error
# messages of a broken driver.
gpus_there() {
  if command -v nvidia-smi >/dev/null; then
    nvidia-smi --query-gpu=index,uuid --format=csv,noheader 2>/dev/null |
      sed -n 's/^ *\([0-9][0-9]*\), *\([A-Za-z0-9-]*\) *$/\1,\2/p'
  elif command -v rocm-smi >/dev/null; then
    rocm-smi --showid 2>/dev/null | sed -n 's/^GPU\[\([0-9]*\)\].*/\1/p' | sort -nu
  fi
}

# Returns whether the run of lease $1 is active: the run has no exit record, and its supervisor or
# one of its processes is alive.
is_held() {
  owner=$(value folder "$1")
  [ -n "$owner" ] && ! [ -e "$owner/exit" ] || return 1
  is_alive "$owner/capsule" && return 0
  [ -n "$(folder=$owner id=${owner##*/}; find_group; members)" ]
}
