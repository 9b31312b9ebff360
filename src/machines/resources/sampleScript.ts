/** POSIX-sh fragments that print what a machine has and what of it is in use. `parseSample.ts` reads it. */
import { shellQuote } from '../../base/text.ts';

/** One program reads all of it: `name: numbers` per line. In a container the files of its control group are there too. */
const linuxScript = String.raw`
set --
for f in /proc/stat /proc/meminfo /proc/loadavg /proc/uptime \
  /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory.current /sys/fs/cgroup/memory.stat \
  /sys/fs/cgroup/cpu.max /sys/fs/cgroup/cpu.stat \
  /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory/memory.usage_in_bytes \
  /sys/fs/cgroup/memory/memory.stat /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/cpu/cpu.cfs_period_us \
  /sys/fs/cgroup/cpuacct/cpuacct.usage; do [ -r "$f" ] && set -- "$@" "$f"; done
awk '
  FILENAME == "/proc/stat" { if ($1 == "cpu") print "cpu: " $2, $3, $4, $5, $6, $7, $8, $9; else if ($1 ~ /^cpu[0-9]/) n++; next }
  FILENAME == "/proc/meminfo" { if ($1 ~ /^(MemTotal|MemAvailable|MemFree|Buffers|Cached):$/) print $1, $2; next }
  FILENAME == "/proc/loadavg" { print "load: " $1; next }
  FILENAME == "/proc/uptime" { print "uptime: " $1; next }
  FILENAME ~ /memory.stat$/ { if ($1 == "inactive_file" || $1 == "total_inactive_file") print $1 ": " $2; next }
  FILENAME ~ /cpu.stat$/ { if ($1 == "usage_usec") print "usage_usec: " $2; next }
  { k = FILENAME; sub(/.*\//, "", k); print k ": " $0 }
  END { print "cpus: " n }
' "$@"`;

const macScript = String.raw`
echo "cpus: $(sysctl -n hw.ncpu)"
echo "memsize: $(sysctl -n hw.memsize)"
echo "load: $(sysctl -n vm.loadavg | tr -d '{}')"
vm_stat | sed -n -e 's/.*page size of \([0-9]*\) bytes.*/pagesize: \1/p' \
  -e 's/^Pages free: *\([0-9]*\).*/pages_free: \1/p' \
  -e 's/^Pages inactive: *\([0-9]*\).*/pages_inactive: \1/p' \
  -e 's/^Pages speculative: *\([0-9]*\).*/pages_speculative: \1/p'
top -l 1 -n 0 -s 0 | sed -n 's/^CPU usage: .* \([0-9.]*\)% idle.*/idle: \1/p'`;

export const hostScript = `if [ -r /proc/stat ]; then ${linuxScript}\nelse ${macScript}\nfi`;

const nvidiaColumns = 'index,uuid,name,utilization.gpu,memory.used,memory.total,temperature.gpu,power.draw';

/**
 * For each process that uses a GPU its session too, told by our own /proc: in a namespace of processes other than the
 * first one (a container), the driver's numbers are not ours.
 */
export const gpuScript = String.raw`
PATH=$PATH:/opt/rocm/bin:/usr/local/nvidia/bin
if command -v nvidia-smi >/dev/null; then
  echo nvidia
  nvidia-smi --query-gpu=${nvidiaColumns} --format=csv,noheader,nounits
  echo processes
  nvidia-smi --query-compute-apps=gpu_uuid,pid,used_memory --format=csv,noheader,nounits | {
    own=$(readlink /proc/self/ns/pid)
    while IFS=', ' read -r u p m; do
      l=; [ "$own" != 'pid:[4026531836]' ] || read -r l <"/proc/$p/stat"
      set -- ${'${l##*) }'}; echo "$u, $p, $m, $4"
    done
  }
elif command -v rocm-smi >/dev/null; then
  echo rocm
  rocm-smi --showuse --showmeminfo vram --showtemp --showpower --showproductname --json
fi`;

/** Of folders that are not there yet: where they would be made. Prints the folder, then what `df` says of it. */
export const diskScript = (folders: readonly string[]): string =>
  [
    `for f in ${folders.map(shellQuote).join(' ')}; do`,
    'p=$f; while [ ! -e "$p" ] && [ "$p" != / ]; do p=${p%/*}; [ -n "$p" ] || p=/; done',
    `printf '%s\\n' "$f"; df -Pk "$p" | tail -n 1`,
    'done',
  ].join('\n');
