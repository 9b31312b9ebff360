
# Leases of GPUs and of places for runs. They are files beside the runs folder, in $leases, one folder per host, for a home
# may be shared by several: gpu-0, slot-1, each naming the folder of the run that has it. A lease is nothing but that name:
# it holds as long as that run goes on, so nobody needs to give it back. Needs system.sh and members.sh.

# The GPUs that runs may take, in the order of $1, a list of indexes and UUIDs; without one, those that we were given.
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

# Lines: index, or index,uuid. What a driver says that does not work is not taken for a GPU.
gpus_there() {
  if command -v nvidia-smi >/dev/null; then
    nvidia-smi --query-gpu=index,uuid --format=csv,noheader 2>/dev/null |
      sed -n 's/^ *\([0-9][0-9]*\), *\([A-Za-z0-9-]*\) *$/\1,\2/p'
  elif command -v rocm-smi >/dev/null; then
    rocm-smi --showid 2>/dev/null | sed -n 's/^GPU\[\([0-9]*\)\].*/\1/p' | sort -nu
  fi
}

# Whether the run that lease $1 names goes on: it has no exit record, and its supervisor lives or processes of it are left.
is_held() {
  owner=$(value folder "$1")
  [ -n "$owner" ] && ! [ -e "$owner/exit" ] || return 1
  is_alive "$owner/capsule" && return 0
  [ -n "$(folder=$owner id=${owner##*/}; find_group; members)" ]
}
