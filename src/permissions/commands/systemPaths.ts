/** Lists the files that describe only the hardware and the operating system. */

const systemPaths: readonly RegExp[] = [
  /^\/dev\/(?:null|stdin|stdout|stderr)$/,
  /^\/proc\/(?:cpuinfo|meminfo|loadavg|uptime|version|stat|vmstat|mounts|driver\/nvidia\/.*)$/,
  /^\/etc\/(?:os-release|lsb-release|debian_version|hostname)$/,
  /^\/usr\/lib\/os-release$/,
  /^\/usr\/local\/cuda[^/]*(?:\/version[^/]*)?$/,
  /^\/sys\/(?:class\/(?:drm|infiniband|thermal)|devices\/system\/(?:cpu|node))(?:\/|$)/,
];

/** Returns true for a file that describes only the hardware and the operating system. */
export const isSystemPath = (path: string): boolean =>
  systemPaths.some((pattern) => pattern.test(path));
