/** Paths that need care wherever they are: files that run code, and files of the system. */

/** Matches files of the system that tell only what hardware and system there are. */
const systemPaths: readonly RegExp[] = [
  /^\/dev\/(?:null|stdin|stdout|stderr|tty)$/,
  /^\/proc\/(?:cpuinfo|meminfo|loadavg|uptime|version|stat|vmstat|mounts|driver\/nvidia\/.*)$/,
  /^\/etc\/(?:os-release|lsb-release|debian_version|hostname)$/,
  /^\/usr\/lib\/os-release$/,
  /^\/usr\/local\/cuda[^/]*(?:\/version[^/]*)?$/,
  /^\/sys\/(?:class\/(?:drm|infiniband|thermal)|devices\/system\/(?:cpu|node))(?:\/|$)/,
];
/** Files that run code of whoever writes them, or decide what may run; never written by a shell. */
const protectedPaths: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['the internals of a git repository', /\/\.git(?:\/|$)/],
  ['the global settings of git', /\/(?:\.gitconfig|\.config\/git\/[^/]+)$|^\/etc\/gitconfig$/],
  [
    'a shell profile',
    /\/\.(?:bash(?:rc|_profile|_login|_logout|_aliases)|profile|z(?:shrc|shenv|profile|login|logout)|kshrc|cshrc|tcshrc|inputrc)$|\/\.config\/fish\/|^\/etc\/(?:profile|bash\.bashrc|zsh|environment)(?:[.\/]|$)/,
  ],
  ['who may log in', /\/\.ssh(?:\/|$)|^\/etc\/(?:passwd|group|pam\.d|ssh)(?:\/|$)/],
  [
    'what the system starts',
    /\/\.config\/(?:systemd|autostart)\/|^\/etc\/(?:systemd|init\.d|cron|rc\.local|ld\.so|sudoers)|^\/var\/spool\/cron|\/library\/launch(?:agents|daemons)\//,
  ],
  [
    'the settings of the editor',
    /\/\.vscode(?:-server|-insiders)?(?:\/|$)|\.code-workspace$|\/(?:code|code - insiders)\/user\//,
  ],
  ['the settings of Helios', /\/\.helios(?:\/(?!(?:worktrees|demo)\/)|$)|\/helios\.json$/],
];
const disks =
  /^\/dev\/(?!(?:null|zero|full|u?random|std(?:in|out|err)|tty|fd|shm|pts|ptmx)(?:\/|$))/;

const matchesAny = (patterns: readonly RegExp[], path: string): boolean =>
  patterns.some((pattern) => pattern.test(path));

/** Returns true for a file that tells only what hardware and system there are. */
export const isSystemPath = (path: string): boolean => matchesAny(systemPaths, path);

/** Returns what a file is that no shell command may write; `undefined` for other files. */
export const protectedBy = (path: string): string | undefined =>
  disks.test(path)
    ? 'a device'
    : protectedPaths.find(([, pattern]) => pattern.test(path.toLowerCase()))?.[0];
