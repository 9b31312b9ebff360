/** Paths that need care wherever they are: keys, private settings, and files that run code. */

/** Matches files whose content must not reach the model, as a path in lower case. */
const keyPaths: readonly RegExp[] = [
  /\/\.ssh\/(?!(?:config|known_hosts)(?:\.|$)|[^/]*\.pub$)[^/]+$/,
  /\/\.ssh$/,
  /\/\.gnupg(?:\/|$)/,
  /\/\.helios\/auth(?:\/|$)/,
  /\/\.aws\/(?:credentials|sso|cli)(?:\/|$)/,
  /\/\.config\/gcloud(?:\/|$)/,
  /\/\.azure(?:\/|$)/,
  /\/\.kube\/config$/,
  /\/\.docker\/config\.json$/,
  /\/\.config\/gh\/hosts\.yml$/,
  /\/\.git-credentials$/,
  /\/\.vault-token$/,
  /\/\.password-store(?:\/|$)/,
  /^\/etc\/(?:shadow|gshadow|sudoers|ssl\/private)(?:[-.\/]|$)/,
  /^\/etc\/ssh\/ssh_host_[^/]*_key$/,
  /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?(?:environ|mem|fd|fdinfo|root|cwd|maps|auxv)(?:\/|$)/,
  /\/(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?)$/,
];
/** Matches files that may hold secrets beside other things. */
const privatePaths: readonly RegExp[] = [
  /\/\.env(?:\.(?!(?:example|sample|template|dist)$)|$|rc$)/,
  /\.env$/,
  /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk)$/,
  /\/\.(?:netrc|npmrc|pypirc|pgpass|my\.cnf|boto|s3cfg|htpasswd)$/,
  /\/\.ssh\/(?:config|known_hosts)/,
  /\/(?:credentials|secrets?)(?:\.(?:json|ya?ml|toml|ini|txt|env))?$/,
  /\/\.(?:bash|zsh|python|psql|node_repl|mysql)_?history$/,
  /\/service[-_]account[^/]*\.json$/,
  /\/\.(?:cache\/)?huggingface\/(?:token|stored_tokens)$/,
];
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
    /\/\.vscode(?:-server|-insiders)?\/|\.code-workspace$|\/(?:code|code - insiders)\/user\//,
  ],
  ['the settings of Helios', /\/\.helios(?:\/|$)|\/helios\.json$/],
];
const disks =
  /^\/dev\/(?!(?:null|zero|full|u?random|std(?:in|out|err)|tty|fd|shm|pts|ptmx)(?:\/|$))/;

const matchesAny = (patterns: readonly RegExp[], path: string): boolean =>
  patterns.some((pattern) => pattern.test(path));

/** Returns true for a file or folder of keys, or the environment of a process. */
export const isKeyPath = (path: string): boolean => matchesAny(keyPaths, path.toLowerCase());

/** Returns true for a file that often holds secrets. */
export const isPrivatePath = (path: string): boolean =>
  matchesAny(privatePaths, path.toLowerCase());

/** Returns true for a file that tells only what hardware and system there are. */
export const isSystemPath = (path: string): boolean => matchesAny(systemPaths, path);

/** Returns what a file is that no shell command may write; `undefined` for other files. */
export const protectedBy = (path: string): string | undefined =>
  disks.test(path)
    ? 'a device'
    : protectedPaths.find(([, pattern]) => pattern.test(path.toLowerCase()))?.[0];
