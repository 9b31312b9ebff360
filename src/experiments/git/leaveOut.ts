/**
 * Rules for files that are never stored in a tree or commit of Helios: secrets, large files, and
 * large binary files such as model checkpoints.
 */
import { formatBytes } from '../../base/text.ts';

export interface LeaveOutLimits {
  /** Limit for one new or changed file. */
  readonly maxFileBytes: number;
  /** Limit for all new and changed files together. */
  readonly maxTotalBytes: number;
  /** Limit for the number of new and changed files. */
  readonly maxFiles: number;
}

export const defaultLimits: LeaveOutLimits = {
  maxFileBytes: 10 * 1000 * 1000,
  maxTotalBytes: 200 * 1000 * 1000,
  maxFiles: 20_000,
};

const secretNames: readonly RegExp[] = [
  /^\.env(?:rc)?(?:\..*)?$/i,
  /^.+\.env$/i,
  /\.(?:pem|key|p12|pfx|p8|jks|keystore|kdbx|ppk|asc|gpg)$/i,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/i,
  /^\.?(?:netrc|pgpass|git-credentials|htpasswd|pypirc|dockercfg|my\.cnf|s3cfg|boto)$/i,
  /^(?:credentials|secrets?|client_secrets?|service[-_]?account.*|kubeconfig|kaggle|tokens?)(?:\.(?:json|ya?ml|toml|ini|txt|cfg))?$/i,
  /^(?:application_default_credentials|gcloud-.*)\.json$/i,
];
/** Names of example files (`.env.example`), which are meant to be shared and hold no secrets. */
const examples = /\.(?:example|sample|template|dist|defaults?)$/i;

/** Extended regular expressions (`grep -E`) for a key or a token in a file. */
export const secretPatterns: readonly string[] = [
  '-----BEGIN ([A-Z]+ )*PRIVATE KEY',
  '(^|[^A-Za-z0-9])(AKIA|ASIA)[A-Z0-9]{16}([^A-Za-z0-9]|$)',
  '(^|[^A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{30,}',
  'github_pat_[A-Za-z0-9_]{22,}',
  'glpat-[A-Za-z0-9_-]{20,}',
  '(^|[^A-Za-z0-9])hf_[A-Za-z0-9]{30,}',
  '(^|[^A-Za-z0-9])sk-[A-Za-z0-9_-]{32,}',
  'xox[abeprs]-[A-Za-z0-9-]{20,}',
  'AIza[A-Za-z0-9_-]{35}',
  'ya29\\.[A-Za-z0-9_-]{30,}',
  'pypi-[A-Za-z0-9_-]{50,}',
  '(^|[^A-Za-z0-9])npm_[A-Za-z0-9]{36}',
  '(aws_secret_access_key|AWS_SECRET_ACCESS_KEY)["\']? *[:=] *["\']?[A-Za-z0-9/+=]{40}',
  '([Aa][Pp][Ii]_?[Kk][Ee][Yy]|[Aa][Cc][Cc][Ee][Ss][Ss]_[Tt][Oo][Kk][Ee][Nn]|[Cc][Ll][Ii][Ee][Nn][Tt]_[Ss][Ee][Cc][Rr][Ee][Tt]|[Pp][Aa][Ss][Ss][Ww][Oo][Rr][Dd])["\']? *[:=] *["\'][A-Za-z0-9_/+=.-]{24,}["\']',
  '(sk|rk)_live_[A-Za-z0-9]{16,}',
  'SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}',
  'hooks\\.slack\\.com/services/T[A-Z0-9]+/',
  'AGE-SECRET-KEY-1[A-Z0-9]{20,}',
  '(^|[^A-Za-z0-9])(gsk_|r8_|nvapi-|xai-|dop_v1_|hvs\\.|wandb_v1_)[A-Za-z0-9_-]{32,}',
  '(^|[^A-Za-z0-9])dapi[a-f0-9]{32}',
  'WANDB_API_KEY["\']? *[:=] *["\']?[a-f0-9]{40}',
  'machine +[^ ]+ +login +[^ ]+ +password +[^ ]',
  // The pattern begins after the protocol name: with a repetition at its start, it would take
  // quadratic time.
  '://[^/:@ "\']*:[^/:@ "\'$<>{}]{8,}@',
];

const weights =
  /\.(?:pt|pth|ckpt|safetensors|bin|h5|hdf5|keras|onnx|pb|tflite|gguf|ggml|pkl|pickle|joblib|npy|npz|msgpack|parquet|arrow|feather|tfrecord|mdb|db|sqlite3?|zip|tar|gz|tgz|bz2|xz|zst|7z|so|a|o|whl|jar|mp4|mov|avi|wav|flac)$/i;
/**
 * Maximum size of a binary file (weights, arrays, archives, media) that is stored with the code.
 */
const maxWeightBytes = 1000 * 1000;

export const looksSecretByName = (path: string): boolean => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return (
    !examples.test(name) &&
    !name.endsWith('.pub') &&
    secretNames.some((pattern) => pattern.test(name))
  );
};

/** `content` with one character per byte. */
export const looksSecret = (path: string, content: string): boolean =>
  looksSecretByName(path) ||
  secretPatterns.some((pattern) => new RegExp(pattern, 'm').test(content));

/**
 * Returns a short reason to omit a file of this name and size; `undefined` if the file is included.
 */
export function tooLarge(
  path: string,
  bytes: number,
  { maxFileBytes }: LeaveOutLimits,
): string | undefined {
  if (bytes > maxFileBytes) return formatBytes(bytes);
  return weights.test(path) && bytes > maxWeightBytes
    ? `binary of ${formatBytes(bytes)}`
    : undefined;
}

/** Returns all folders that contain the file: `a` and `a/b` for `a/b/c`. */
export const foldersOf = (name: string): readonly string[] =>
  name
    .split('/')
    .slice(0, -1)
    .map((_, index, parts) => parts.slice(0, index + 1).join('/'));

export const environmentReason = 'installed packages';

export const isPackageFolder = (path: string): boolean =>
  packageFolder.test(path) || /(?:^|\/)(?:\.?venv|__pycache__)$/.test(path);

const packageFolder = /(?:^|\/)(?:node_modules|site-packages|__pypackages__)$/;

/**
 * Returns the outermost folders with installed packages that contain some of the new files: virtual
 * and conda environments, `node_modules` and similar folders. Never returns the root of the
 * worktree.
 */
export function environmentsIn(fresh: readonly string[]): ReadonlySet<string> {
  const marked = new Set(
    fresh.flatMap((name) => /^(.+)\/(?:pyvenv\.cfg|conda-meta\/[^/]+)$/.exec(name)?.[1] ?? []),
  );
  const outermost = (name: string): string[] =>
    foldersOf(name)
      .filter((folder) => marked.has(folder) || packageFolder.test(folder))
      .slice(0, 1);
  return new Set(fresh.flatMap(outermost));
}

/**
 * Returns whether the path is a report written by Helios. Reports are omitted, because they would
 * change the state of the code.
 */
export const isOwnReport = (path: string): boolean => /(?:^|\/)helios-reports\//.test(path);

const maxNamed = 40;

/**
 * Returns the omitted files with reasons, such as `data.bin (25 MB)`. Lists at most 40 files; of
 * further files, only the number is given.
 */
export function namedLeftOut(reasons: ReadonlyMap<string, string>): readonly string[] {
  const lines = [...reasons].map(([path, why]) => `${shownName(path)} (${why})`);
  const unlisted = lines.length - maxNamed;
  return unlisted > 0 ? [...lines.slice(0, maxNamed), `… and ${unlisted} more`] : lines;
}

/** Decodes a name, in which each character is one byte (latin1), for display. */
const shownName = (path: string): string =>
  Buffer.from(path, 'latin1')
    .toString('utf8')
    .replace(/\p{Cc}/gu, '?');
