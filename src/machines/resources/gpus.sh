# Prints the GPUs, and the processes that use a GPU, each with its session id from the local /proc.
# In a separate pid namespace (a container), prints no session ids, because the driver reports pids
# that are not valid in that namespace.
PATH=$PATH:/opt/rocm/bin:/usr/local/nvidia/bin:/usr/lib/wsl/lib
if command -v nvidia-smi >/dev/null; then
  echo nvidia
  nvidia-smi --query-gpu=index,uuid,name,utilization.gpu,memory.used,memory.total,temperature.gpu,power.draw --format=csv,noheader,nounits
  echo processes
  nvidia-smi --query-compute-apps=gpu_uuid,pid,used_memory --format=csv,noheader,nounits | {
    own=$(readlink /proc/self/ns/pid)
    # In a command substitution, bash 3.2 counts a ")" that is not quoted.
    end=') '
    while IFS=', ' read -r u p m; do
      l=; [ "$own" != 'pid:[4026531836]' ] || read -r l <"/proc/$p/stat"
      # shellcheck disable=SC2086 # Split the line into words.
      set -- ${l##*"$end"}; echo "$u, $p, $m, $4"
    done
  }
elif command -v rocm-smi >/dev/null; then
  echo rocm
  rocm-smi --showuse --showmeminfo vram --showtemp --showpower --showproductname --json
fi
