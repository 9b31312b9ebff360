/** Files of the system that tell only which hardware and system there are. */

const systemPaths: readonly RegExp[] = [
  /^\/dev\/(?:null|stdin|stdout|stderr)$/,
  /^\/proc\/(?:cpuinfo|meminfo|loadavg|uptime|version|stat|vmstat|mounts|driver\/nvidia\/.*)$/,
  /^\/etc\/(?:os-release|lsb-release|debian_version|hostname)$/,
  /^\/usr\/lib\/os-release$/,
  /^\/usr\/local\/cuda[^/]*(?:\/version[^/]*)?$/,
  /^\/sys\/(?:class\/(?:drm|infiniband|thermal)|devices\/system\/(?:cpu|node))(?:\/|$)/,
];

/** Returns true for a file that tells only which hardware and system there are. */
export const isSystemPath = (path: string): boolean =>
  systemPaths.some((pattern) => pattern.test(path));
