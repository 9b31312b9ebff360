/**
 * The only list of paths with special rules, for tools and commands alike: files that hold keys,
 * and files whose content is later run as code.
 */
import { posix } from 'node:path';

/** `deny`: no call may read or write the path. `ask`: each use needs an approval in every mode. */
export type Ruling = 'deny' | 'ask';

export type PathAction = 'read' | 'write';

export interface PathUse {
  readonly verdict: Ruling;
  readonly action: PathAction;
  readonly path: string;
  /** Kind of the file or folder, such as `a private key`. */
  readonly content: string;
  /** True if the rule applies only to a file, not to a folder with this name. */
  readonly isOfFile: boolean;
}

type Rulings = Readonly<Partial<Record<PathAction, Ruling>>>;

interface Rule {
  readonly content: string;
  readonly pattern: RegExp;
  readonly tools: Rulings;
  readonly commands: Rulings;
}

/** Matches the start of a path, or of a name in the path. */
const part = '(?:^|/)';

/** Creates a rule. `tools` are the rulings on tools, and on commands if `commands` is omitted. */
const rule = (
  content: string,
  { commands, ...tools }: Rulings & { readonly commands?: Rulings },
  ...patterns: string[]
): Rule => ({
  content,
  pattern: new RegExp(patterns.map((pattern) => `(?:${pattern})`).join('|')),
  tools,
  commands: commands ?? tools,
});

const never: Rulings = { read: 'deny', write: 'deny' };
const noWrites: Rulings = { write: 'deny' };
const passwordFile = 'a file of passwords or tokens';

/**
 * Rules in order: the first that matches the path and covers the action applies. Patterns are in
 * lowercase.
 */
const rules: readonly Rule[] = [
  rule(
    'the configuration of SSH',
    { read: 'ask', write: 'deny' },
    `${part}\\.ssh/(?:config|known_hosts)(?:[./].*)?$`,
  ),
  rule('the list of who may log in', never, `${part}\\.ssh/authorized_keys2?$`),
  rule(
    'the environment or memory of a process',
    never,
    '^/proc/(?:[^/]+/)?(?:task/[^/]*/?)?(?:environ|mem|fd|fdinfo|root|cwd|maps|auxv)(?:/|$)',
  ),
  rule(
    'a private key',
    never,
    `${part}id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$`,
    '\\.(?:ppk|p12|pfx|jks|keystore|kdbx)$',
    `${part}\\.gnupg(?:/|$)`,
    '^/etc/ssh/ssh_host_[^/]*_key$',
    '^/etc/ssl/private(?:/|$)',
    `${part}\\.(?:age|sops)/.*keys?(?:\\.txt)?$`,
    `${part}(?:\\.config|library/application support)/sops/age/`,
    '^/etc/(?:munge/munge\\.key|wireguard(?:/.*)?)$',
  ),
  rule('a file among private keys', never, `${part}\\.ssh/(?:.*[^/])?(?<!\\.pub)$`),
  rule(
    'a folder of private keys',
    { read: 'ask', write: 'deny', commands: never },
    `${part}\\.ssh$`,
  ),
  rule('the keys of Helios', never, `${part}\\.helios/(?:auth|label-key)(?:/|$)`),
  rule(
    'a file of credentials',
    never,
    `${part}\\.aws/(?:credentials|sso|cli)(?:/|$)`,
    `${part}\\.config/gcloud(?:/|$)`,
    `${part}\\.(?:azure|oci|bluemix|password-store)(?:/|$)`,
    `${part}application_default_credentials\\.json$`,
    `${part}\\.kube/(?:config[^/]*|cache)(?:/|$)`,
    '^/etc/(?:kubernetes|rancher)/.*\\.(?:conf|kubeconfig|ya?ml)$',
    `${part}\\.docker/config\\.json$`,
    `${part}\\.config/(?:gh/hosts\\.yml|glab-cli/config\\.yml|rclone/rclone\\.conf|containers/auth\\.json)$`,
    `${part}\\.(?:git-credentials|dockercfg|boto|s3cfg|databrickscfg|vault-token|modal\\.toml|terraformrc)$`,
    `${part}\\.(?:huggingface|cache/huggingface)/(?:token|stored_tokens)$`,
    `${part}\\.(?:kaggle/kaggle\\.json|terraform\\.d/credentials\\.tfrc\\.json|gem/credentials)$`,
    `${part}\\.cargo/credentials(?:\\.toml)?$`,
    `${part}(?:\\.codex/auth\\.json|\\.claude/\\.credentials\\.json|\\.claude\\.json|\\.fly/config\\.yml)$`,
    `${part}\\.config/(?:git/credentials|hub|doctl/config\\.yaml|hcloud/cli\\.toml|scw/config\\.yaml)$`,
    `${part}\\.config/(?:kaggle/kaggle\\.json|llm/keys\\.json|vastai/vast_api_key|ngrok/ngrok\\.yml)$`,
    `${part}(?:github-copilot/(?:hosts|apps)\\.json|pypoetry/auth\\.toml|uv/credentials(?:/.*)?)$`,
    `${part}(?:share|library)/jupyter/runtime/[^/]*\\.json$`,
    `${part}\\.(?:vast_api_key|runpod/config\\.toml|lightning/credentials\\.json|mlflow/credentials)$`,
    `${part}\\.(?:gemini/oauth_creds\\.json|mc/config\\.json|ngrok2/ngrok\\.yml)$`,
    `${part}(?:\\.snowflake|\\.config/snowflake)/(?:config|connections)\\.toml$`,
    `${part}\\.snowsql/config$`,
    '^(?:/var)?/tmp/krb5cc_[^/]*$',
    `${part}(?:key[34]\\.db|logins\\.json|login data|cookies(?:\\.sqlite)?|state\\.vscdb|wallet\\.dat|jupyter_cookie_secret)$`,
    '\\.keytab$',
    '^/etc/(?:g?shadow|sudoers)(?:[-./]|$)',
    '^/(?:var/)?run/secrets(?:/|$)',
    `${part}(?:library/keychains|\\.local/share/keyrings)(?:/|$)`,
    '/appdata/(?:local|roaming)/microsoft/(?:credentials|protect|vault)(?:/|$)',
    '/appdata/roaming/(?:gcloud(?:/|$)|github cli/hosts\\.yml$)',
  ),
  rule(
    passwordFile,
    { read: 'ask', write: 'ask', commands: { read: 'ask' } },
    `${part}\\.env(?:rc)?(?:\\.(?!(?:example|sample|template|dist|defaults?)$)[^/]+)?$`,
    '\\.env$',
    `${part}[._](?:netrc|npmrc|yarnrc\\.yml|pypirc|pgpass|my\\.cnf|htpasswd)$`,
    `${part}(?:\\.aws/config|\\.m2/settings[^/]*\\.xml|\\.?pip/pip\\.conf)$`,
  ),
  rule(
    'a file that may hold secrets',
    { read: 'ask', write: 'ask', commands: {} },
    '\\.(?:pem|key)$',
    '/(?:credentials|secrets?)(?:\\.(?:json|ya?ml|toml|ini|txt|env))?$',
    `${part}\\.(?:bash|zsh|python|psql|node_repl|mysql)_?history$`,
    `${part}service[-_]account[^/]*\\.json$`,
  ),
  rule(
    'a disk or the memory of the computer',
    { read: 'deny', commands: {} },
    '^/dev/(?:[shv]d[a-z]|xvd|nvme|mmcblk|dm-|md\\d|mapper/.|disk/|k?mem$|port$)',
    '^/proc/k(?:core|mem)$',
  ),
  rule('a setting of the system', noWrites, '^/proc/(?:sys/|sysrq-trigger$)'),
  rule(
    'a device',
    noWrites,
    '^/dev/(?!(?:null|zero|full|u?random|std(?:in|out|err)|tty|fd|shm|pts|ptmx)(?:/|$))',
  ),
  rule(
    'the settings of a git repository, which may hold tokens',
    { read: 'ask', write: 'deny' },
    '/\\.git/(?:.*/)?config(?:\\.worktree)?$',
  ),
  rule('in the internals of a git repository', noWrites, `/\\.git(?:/|$)`),
  rule(
    'a file of global settings of git',
    noWrites,
    '/(?:\\.gitconfig|\\.config/git/[^/]+)$',
    '^/etc/gitconfig$',
  ),
  rule(
    'a shell profile',
    noWrites,
    '/\\.(?:bash(?:rc|_profile|_login|_logout|_aliases)|profile|pam_environment|x(?:profile|session|sessionrc|initrc)|gdbinit|z(?:shrc|shenv|profile|login|logout)|kshrc|cshrc|tcshrc|inputrc)$',
    '/\\.config/fish/',
    '/(?:windows)?powershell/[^/]*profile\\.ps1$',
    '^/etc/(?:profile|bash\\.bashrc|zsh|environment)(?:[./]|$)',
  ),
  rule(
    'a file about who may log in',
    noWrites,
    '/\\.ssh/',
    '^/etc/(?:passwd|group|pam\\.d|ssh)(?:/|$)',
  ),
  rule(
    'what the system starts',
    noWrites,
    '/\\.config/(?:systemd|autostart)/',
    '^/etc/(?:systemd|init\\.d|cron|rc\\.local|ld\\.so|sudoers)',
    '^/var/spool/cron',
    '/library/launch(?:agents|daemons)/',
    '/start menu/programs/startup/',
  ),
  rule('in the home folder of Helios', noWrites, '/\\.helios(?:/(?!(?:worktrees|demo)/)|$)'),
  rule(
    'a file of settings of the editor',
    { write: 'ask', commands: noWrites },
    '/\\.vscode(?:-server|-insiders)?(?:/|$)',
    '\\.code-workspace$',
    '/(?:code|code - insiders)/user/',
  ),
  rule('a file of settings of Helios', { write: 'ask', commands: noWrites }, '/helios\\.json$'),
  rule(
    'a file of commands that others run',
    { write: 'ask' },
    '/\\.(?:github/(?:workflows|actions)|circleci|buildkite|woodpecker|husky|devcontainer)(?:/|$)',
    '/\\.(?:gitlab-ci|travis|drone|pre-commit-config|woodpecker)\\.ya?ml$',
    '/(?:jenkinsfile|\\.?lefthook\\.ya?ml|(?:azure|bitbucket)-pipelines\\.ya?ml|\\.?appveyor\\.ya?ml)$',
  ),
];

/** Usual paths of keys; `~` is the home folder of the user. */
const usualPlaces: readonly string[] = [
  ...'.ssh/id_rsa .ssh/id_ed25519 .ssh/id_ecdsa .ssh/authorized_keys .gnupg .password-store .azure .oci \
.aws/credentials .aws/sso .aws/cli .config/gcloud .config/gh/hosts.yml .config/glab-cli/config.yml \
.config/rclone/rclone.conf .config/containers/auth.json .kube/config .docker/config.json .vault-token \
.git-credentials .cache/huggingface/token .huggingface/token .kaggle/kaggle.json .cargo/credentials.toml \
.s3cfg .boto .modal.toml .local/share/keyrings Library/Keychains .helios/auth .helios/label-key \
.config/kaggle/kaggle.json .config/llm/keys.json .config/vastai/vast_api_key .vast_api_key .runpod/config.toml \
.config/sops/age/keys.txt .config/github-copilot/hosts.json .config/github-copilot/apps.json .config/pypoetry/auth.toml \
.gemini/oauth_creds.json .lightning/credentials.json .mlflow/credentials .local/share/uv/credentials \
.mc/config.json .config/hcloud/cli.toml .config/scw/config.yaml .config/ngrok/ngrok.yml .snowflake/config.toml \
.codex/auth.json .claude/.credentials.json .gem/credentials .config/hub'
    .split(' ')
    .map((place) => `~/${place}`),
  ...[
    '/proc/self/environ',
    '/etc/shadow',
    '/etc/ssl/private',
    '/etc/munge/munge.key',
    '/etc/wireguard',
    '/run/secrets',
  ],
];

/** Maximum number of folders of which the keys below are remembered. */
const maxFolders = 200;

export class PathRules {
  readonly #homes: readonly string[];
  readonly #buildFiles: () => readonly string[];
  /** The usual paths of keys below a folder, by the folder and the home folder. */
  readonly #below = new Map<string, readonly string[]>();
  /** Ends of the usual paths of keys that count as keys only below certain folders. */
  #tails: readonly string[] | undefined;

  /**
   * `homes` are absolute paths of the home folder of Helios: as configured, and its real path.
   * `buildFiles` returns the paths of the Dockerfiles from which Helios builds machines.
   */
  constructor(homes: readonly string[] = [], buildFiles: () => readonly string[] = () => []) {
    this.#homes = homes.map(withSlashes);
    this.#buildFiles = buildFiles;
  }

  /**
   * Returns the rule on a use of the path; `undefined` if there is none. Ignores case, because a
   * file system may ignore it. The path is absolute or begins with `~`; it may contain a pattern of
   * the shell.
   */
  useOf(
    path: string,
    action: PathAction = 'read',
    by: 'tools' | 'commands' = 'tools',
  ): PathUse | undefined {
    const name = this.#normalize(path);
    for (const { content, pattern, [by]: rulings } of rules) {
      const verdict = rulings[action];
      if (verdict !== undefined && pattern.test(name))
        return { verdict, action, path, content, isOfFile: content === passwordFile };
    }
    const isBuilt = action === 'write' && this.#buildFiles().includes(posix.normalize(path));
    if (!isBuilt) return undefined;
    return { verdict: 'ask', action, path, content: 'the Dockerfile of a machine', isOfFile: true };
  }

  /** Returns true for a file or folder of keys, and for the environment of a process. */
  isKey(path: string): boolean {
    return this.useOf(path, 'read', 'commands')?.verdict === 'deny';
  }

  /** Returns true for a file that often holds secrets. */
  isPrivate(path: string): boolean {
    return this.useOf(path) !== undefined;
  }

  /** Returns the usual paths of keys below `userHome` and in the home folder of Helios. */
  keyPlaces(userHome: string): readonly string[] {
    return [
      ...usualPlaces.map((place) => place.replace(/^~/, withSlashes(userHome))),
      ...this.#homes.flatMap((folder) => [`${folder}/auth`, `${folder}/label-key`]),
    ];
  }

  /** Returns the usual paths of keys that may be below the folder. */
  keysBelow(folder: string, userHome: string): readonly string[] {
    const key = JSON.stringify([folder, userHome]);
    const places = this.#below.get(key) ?? this.#findBelow(folder, userHome);
    if (this.#below.size >= maxFolders) this.#below.clear();
    this.#below.set(key, places);
    return places;
  }

  #findBelow(folder: string, userHome: string): readonly string[] {
    const start = `${withSlashes(folder).replace(/\/$/, '')}/`;
    // A name that means a key in every folder is omitted: it need not be in this folder.
    this.#tails ??= usualPlaces.flatMap(tailsOf).filter((tail) => !this.isKey(`/x/${tail}`));
    const here = this.#tails.map((tail) => start + tail).filter((path) => this.isKey(path));
    const places = this.keyPlaces(userHome).filter((path) => path.startsWith(start));
    return [...new Set([...places, ...here])];
  }

  /** Returns the path in lowercase, with the home folder of Helios under its usual name. */
  #normalize(path: string): string {
    const normal = posix.normalize(withSlashes(path)).replace(/(?<=.)\/$/, '');
    const own = this.#homes.find((folder) => isWithin(normal, folder));
    return (own === undefined ? normal : `/.helios${normal.slice(own.length)}`).toLowerCase();
  }
}

/** Returns the ends of a path without its first folder: for `~/.a/b/c`, `b/c` and `c`. */
const tailsOf = (place: string): readonly string[] => {
  const parts = place.split('/').slice(2);
  return parts.map((_part, index) => parts.slice(index).join('/')).filter((tail) => tail !== '');
};

/** Returns a path of Windows with slashes, and every other path as it is. */
const withSlashes = (path: string): string =>
  /^(?:[a-z]:|\\\\)/i.test(path) ? path.replaceAll('\\', '/') : path;

const isWithin = (path: string, folder: string): boolean => {
  const [name, start] = [path.toLowerCase(), folder.toLowerCase()];
  return name === start || name.startsWith(`${start}/`);
};

/** The rules without a home folder of Helios other than the usual one. */
export const usualPaths = new PathRules();

/**
 * Returns the first use that is denied; if none is, the first use; `undefined` if the list is
 * empty.
 */
export const strictest = (uses: readonly (PathUse | undefined)[]): PathUse | undefined =>
  uses.find((use) => use?.verdict === 'deny') ?? uses.find((use) => use !== undefined);

/** Returns a sentence about the use, for the approval or the reason of a refusal. */
export function pathNote({ path, content, verdict, action }: PathUse): string {
  const isWrite = action === 'write';
  return verdict === 'deny'
    ? `${path} is ${content}, which no call may ${isWrite ? 'write' : 'use'}`
    : `${path} is ${content}, and each ${isWrite ? 'change' : 'use'} needs an approval`;
}
