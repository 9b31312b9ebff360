/** Describes what a confined command may use, as data that is recorded with a run. */
import type { SessionId } from '../../base/ids.ts';

/** Values of `network` other than a list of hosts. `all` is the network of the machine. */
export const networks = ['all', 'none'] as const;

/**
 * Matches a host in a list: a name, `*.example.org` for all names below it, or an address; IPv6 in
 * brackets. An entry without a port allows the ports 80 and 443. Private addresses need an entry
 * with a port.
 */
export const hostPattern = /^(?:(?:\*\.)?[\w.-]+|\[[\dA-Fa-f:.]+\])(?::\d{1,5})?$/;

export interface Confinement {
  /** `all`, `none`, or a list: only these hosts can be reached, through a proxy of Helios. */
  readonly network: (typeof networks)[number] | readonly string[];
  /** Place in which the user can add hosts, as the end of a sentence. */
  readonly listedIn?: string;
  /** Why there is no network, although a list of hosts was intended. */
  readonly offlineBecause?: string;
  /**
   * Folders that the command may change: absolute paths, or paths that begin with `~/`; the working
   * folder and folders that the session uploaded come first. In addition to them: the worktrees of
   * the session, the copies of its code that were sent to the machine, the folder for temporary
   * files, and usual caches.
   */
  readonly writable: readonly string[];
  /** True if the working folder of the machine is its home folder, which is never granted. */
  readonly isAtHome?: true;
  /** Session whose commands share worktrees, copies of code and temporary files. */
  readonly sessionId: SessionId;
}

/**
 * Caches below the home folder that a confined command may change. Caches in `.cache` are created.
 * A variable after a path names another folder for the cache: if the path does not exist, the
 * variable is set to a folder in `.cache`.
 */
export const caches: readonly string[] = [
  ...['huggingface', 'torch', 'torch_extensions', 'pip', 'uv', 'matplotlib', 'wandb'].map(
    (name) => `.cache/${name}`,
  ),
  ...['.triton TRITON_CACHE_DIR', '.nv CUDA_CACHE_PATH', '.conda/pkgs CONDA_PKGS_DIRS'],
  ...['.keras KERAS_HOME', '.npm npm_config_cache'],
  ...['nltk_data NLTK_DATA', 'scikit_learn_data SCIKIT_LEARN_DATA'],
];

/**
 * Paths below the home folder that are hidden from confined commands: keys, and sockets through
 * which a command could start programs that are not confined.
 */
export const hiddenPaths: readonly string[] = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.oci', '.bluemix', '.password-store', '.1password'],
  ...[
    '.age',
    '.sops',
    '.config/sops',
    '.config/gcloud',
    '.kube',
    '.docker',
    '.local/share/keyrings',
  ],
  ...['gh/hosts.yml', 'glab-cli/config.yml', 'rclone/rclone.conf', 'containers/auth.json'].map(
    (file) => `.config/${file}`,
  ),
  ...['.git-credentials', '.dockercfg', '.boto', '.s3cfg', '.databrickscfg', '.vault-token'],
  ...['.modal.toml', '.terraformrc', '.terraform.d/credentials.tfrc.json', '.kaggle/kaggle.json'],
  ...['.gem/credentials', '.cargo/credentials', '.cargo/credentials.toml'],
  ...['.vast_api_key', '.runpod/config.toml', '.lightning/credentials.json', '.mlflow/credentials'],
  ...['.gemini/oauth_creds.json', '.codex/auth.json', '.claude/.credentials.json'],
  ...['.local/share/uv/credentials', '.mc/config.json', '.snowflake/config.toml', '.config/hub'],
  ...[
    'kaggle/kaggle.json',
    'llm/keys.json',
    'vastai/vast_api_key',
    'github-copilot/hosts.json',
    'github-copilot/apps.json',
    'pypoetry/auth.toml',
    'hcloud/cli.toml',
    'scw/config.yaml',
    'ngrok/ngrok.yml',
  ].map((file) => `.config/${file}`),
  ...['token', 'stored_tokens'].flatMap((file) => [
    `.huggingface/${file}`,
    `.cache/huggingface/${file}`,
  ]),
];

/**
 * Returns two sentences for a model: where confined commands can write, and what they reach. They
 * name no working folder, because each machine has another, which may be its home folder.
 */
export function confinementRule({ network, writable }: Confinement, workFolder: string): string {
  const granted = writable.filter(
    (folder) => folder !== workFolder && !folder.includes('/.cache/'),
  );
  const own =
    'the working folder of their machine (where that is its home: only folders that you uploaded)';
  const folders = [...new Set([own, ...granted, 'worktrees of the session', 'caches', '/tmp'])];
  const hosts = typeof network === 'string' ? [] : network;
  const reached =
    network === 'all'
      ? 'the network'
      : hosts.length === 0
        ? 'no network'
        : `only ${hosts.slice(0, maxHosts).join(', ')}${hosts.length > maxHosts ? ' and others of the list' : ''}`;
  return `Commands and runs are confined: they write only below ${folders.join(', ')}, and see no keys. They reach ${reached}.`;
}

const maxHosts = 8;

/** Returns a text about the confinement of a command: `bubblewrap, network on`. */
export function confinementText({ network, offlineBecause }: Confinement): string {
  const off = offlineBecause === undefined ? 'off' : `off, because ${offlineBecause}`;
  const text = network === 'all' ? 'on' : network === 'none' ? off : 'for listed hosts only';
  return `bubblewrap, network ${text}`;
}
