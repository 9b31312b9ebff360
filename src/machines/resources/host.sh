# Prints the resources of a machine and their use, one line "name: numbers" per value. On Linux, a
# single awk reads all files, including those of the control group, which contain the limits of a
# container.
if [ -r /proc/stat ]; then
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
  ' "$@"
else
  echo "cpus: $(sysctl -n hw.ncpu)"
  echo "memsize: $(sysctl -n hw.memsize)"
  echo "load: $(sysctl -n vm.loadavg | tr -d '{}')"
  vm_stat | sed -n -e 's/.*page size of \([0-9]*\) bytes.*/pagesize: \1/p' \
    -e 's/^Pages free: *\([0-9]*\).*/pages_free: \1/p' \
    -e 's/^Pages inactive: *\([0-9]*\).*/pages_inactive: \1/p' \
    -e 's/^Pages speculative: *\([0-9]*\).*/pages_speculative: \1/p'
  # The first sample of top is since the start of the machine.
  top -l 2 -n 0 -s 1 | sed -n 's/^CPU usage: .* \([0-9.]*\)% idle.*/idle: \1/p' | tail -n 1
fi
