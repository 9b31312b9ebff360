/** Lists the files that describe only the hardware, the operating system and its processes. */

const streams = /^\/dev\/(?:null|stdin|stdout|stderr)$/;

/** Returns true for a path that names an open stream of the program itself. */
export const isStream = (path: string): boolean => streams.test(path);

const systemPaths: readonly RegExp[] = [
  streams,
  /^\/proc\/(?:cpuinfo|meminfo|loadavg|uptime|version|vmstat|mounts|driver\/nvidia\/.*)$/,
  // Files whose content ps also shows.
  /^\/proc\/(?:(?:\d+|self)\/)?(?:status|statm?|io|limits|comm|oom_score|wchan)$/,
  /^\/proc\/(?:pressure(?:\/\w+)?|\w*info|partitions|diskstats|interrupts|self\/cgroup)$/,
  /^\/sys\/fs\/cgroup(?:\/|$)/,
  /^\/etc\/(?:os-release|lsb-release|debian_version|hostname)$/,
  /^\/usr\/lib\/os-release$/,
  /^\/usr\/local\/cuda[^/]*(?:\/version[^/]*)?$/,
  /^\/sys\/(?:class\/(?:drm|infiniband|thermal)|devices\/system\/(?:cpu|node))(?:\/|$)/,
];

/** Returns true for a file that describes only the system and its processes. */
export const isSystemPath = (path: string): boolean =>
  systemPaths.some((pattern) => pattern.test(path));

/** Returns true for a folder or file of downloaded models and data, whose names hold no secrets. */
export const isCachePath = (path: string, home: string): boolean =>
  path.startsWith(`${home}/.cache/`) &&
  /^(?:huggingface\/(?:hub|datasets)|torch)(?:\/|$)/.test(path.slice(`${home}/.cache/`.length));
