/** What a confined command may use, as data that is recorded with a run. */
import type { SessionId } from '../../base/ids.ts';

/** Kinds of networks without a list of hosts: that of the machine, or none. */
export const networks = ['all', 'none'] as const;

/**
 * A host of a list: a name, `*.example.org` for all names below, or an address; IPv6 in brackets.
 * Without a port, it stands for the ports 80 and 443. Private addresses need an entry with a port.
 */
export const hostPattern = /^(?:(?:\*\.)?[\w.-]+|\[[\dA-Fa-f:.]+\])(?::\d{1,5})?$/;

export interface Confinement {
  /** A list: only these hosts, through a proxy of Helios. */
  readonly network: (typeof networks)[number] | readonly string[];
  /** Where the user can add hosts, as the end of a sentence. */
  readonly listedIn?: string;
  /** Why there is no network although a list of hosts was meant. */
  readonly offlineBecause?: string;
  /**
   * Folders that the command may change: absolute paths, or paths that begin with `~/`. In addition
   * to them: the worktrees of the session, the folder for temporary files, and usual caches.
   */
  readonly writable: readonly string[];
  /** Session whose commands share worktrees and temporary files. */
  readonly sessionId: SessionId;
}

/**
 * Caches below the home folder that a confined command may change. Those in `.cache` are created.
 * After a path, the variable that names another place for it: where the folder does not exist, the
 * cache is in `.cache`, too.
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
 * Paths below the home folder that a confined command does not see: keys, and sockets through which
 * it could start programs outside.
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
  ...['token', 'stored_tokens'].flatMap((file) => [
    `.huggingface/${file}`,
    `.cache/huggingface/${file}`,
  ]),
];

/** Returns what a command is confined by, in words: `bubblewrap, network on`. */
export function confinementText({ network, offlineBecause }: Confinement): string {
  const off = offlineBecause === undefined ? 'off' : `off, because ${offlineBecause}`;
  const text = network === 'all' ? 'on' : network === 'none' ? off : 'for listed hosts only';
  return `bubblewrap, network ${text}`;
}
