/**
 * The paths of keys: files with private keys, credentials or the environment of a process. Used for
 * the tools that read files and for shell commands alike. The one list of such paths.
 */
import { posix } from 'node:path';

/** `deny`: no call may use the file. `ask`: each use needs an approval. */
export interface KeyUse {
  readonly verdict: 'deny' | 'ask';
  readonly path: string;
  /** A noun for the content, such as `a private key`. */
  readonly content: string;
}

type Rule = readonly [verdict: KeyUse['verdict'], content: string, pattern: RegExp];

/** Matches the start of a path, or of a part of it. */
const part = '(?:^|/)';
const rule = (verdict: KeyUse['verdict'], content: string, ...patterns: string[]): Rule => [
  verdict,
  content,
  new RegExp(patterns.map((pattern) => `(?:${pattern})`).join('|')),
];

const keyFolder = 'a folder of private keys';
const passwordFile = 'a file of passwords or tokens';

/** The first matching rule counts. Patterns are in lowercase letters. */
const rules: readonly Rule[] = [
  rule('ask', 'the configuration of SSH', `${part}\\.ssh/(?:config|known_hosts)(?:[./].*)?$`),
  rule(
    'deny',
    'the environment or memory of a process',
    '^/proc/(?:[^/]+/)?(?:task/[^/]*/?)?(?:environ|mem|fd|fdinfo|root|cwd|maps|auxv)(?:/|$)',
  ),
  rule('deny', 'a private key', `${part}\\.ssh/(?:.*[^/])?(?<!\\.pub)$`),
  rule('ask', keyFolder, `${part}\\.ssh$`),
  rule(
    'deny',
    'a private key',
    `${part}id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$`,
    '\\.(?:ppk|p12|pfx|jks|keystore|kdbx)$',
    `${part}\\.gnupg(?:/|$)`,
    '^/etc/ssh/ssh_host_[^/]*_key$',
    '^/etc/ssl/private(?:/|$)',
    `${part}\\.(?:age|sops)/.*keys?(?:\\.txt)?$`,
  ),
  rule('deny', 'the keys of Helios', `${part}\\.helios/(?:auth|label-key)(?:/|$)`),
  rule(
    'deny',
    'a file of credentials',
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
    '^/etc/(?:g?shadow|sudoers)(?:[-./]|$)',
    '^/(?:var/)?run/secrets(?:/|$)',
    `${part}(?:library/keychains|\\.local/share/keyrings)(?:/|$)`,
  ),
  rule(
    'ask',
    passwordFile,
    `${part}\\.env(?:rc)?(?:\\.(?!(?:example|sample|template|dist|defaults?)$)[^/]+)?$`,
    '\\.env$',
    `${part}[._](?:netrc|npmrc|yarnrc\\.yml|pypirc|pgpass|my\\.cnf|htpasswd)$`,
  ),
  rule(
    'ask',
    'a file that may hold secrets',
    '\\.(?:pem|key)$',
    '/(?:credentials|secrets?)(?:\\.(?:json|ya?ml|toml|ini|txt|env))?$',
    `${part}\\.(?:bash|zsh|python|psql|node_repl|mysql)_?history$`,
    `${part}service[-_]account[^/]*\\.json$`,
  ),
];

export class KeyPaths {
  readonly #authFolder: string | undefined;

  /** `authFolder` is the absolute path of the folder with the keys of Helios. */
  constructor(authFolder?: string) {
    this.#authFolder = authFolder?.toLowerCase();
  }

  /**
   * Returns the use of a key by the path; `undefined` for other paths. Ignores case, because a disk
   * may. The path is absolute or begins with `~`; a pattern of the shell may be in it.
   */
  useOf(path: string): KeyUse | undefined {
    const normal = posix
      .normalize(path)
      .toLowerCase()
      .replace(/(?<=.)\/$/, '');
    if (this.#authFolder !== undefined && isWithin(normal, this.#authFolder))
      return { verdict: 'deny', path, content: 'the keys of Helios' };
    const found = rules.find(([, , pattern]) => pattern.test(normal));
    return found && { verdict: found[0], path, content: found[1] };
  }
}

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder}/`);

/** The paths of keys of usual programs. */
export const usualKeys = new KeyPaths();

/** Returns true for a file or folder of keys, or the environment of a process. */
export function isKeyPath(path: string): boolean {
  const use = usualKeys.useOf(path);
  return use?.verdict === 'deny' || use?.content === keyFolder;
}

/** Returns true for a file that often holds secrets. */
export const isPrivatePath = (path: string): boolean => usualKeys.useOf(path) !== undefined;

/**
 * Returns true for a use that needs an approval even where a mode allows the command. A folder of
 * variables, such as a virtual environment called `.env`, is no file of passwords.
 */
export const asksAlways = ({ verdict, content }: KeyUse, isFolder: boolean): boolean =>
  verdict === 'ask' &&
  (content === 'the configuration of SSH' || (content === passwordFile && !isFolder));

/** Returns the strictest of the uses. */
export const strictest = (uses: readonly (KeyUse | undefined)[]): KeyUse | undefined =>
  uses.find((use) => use?.verdict === 'deny') ?? uses.find((use) => use !== undefined);

/** Returns a sentence about the use, for the approval or the reason of a refusal. */
export const keyNote = ({ path, content, verdict }: KeyUse): string =>
  verdict === 'deny'
    ? `${path} is ${content}, which no call may use`
    : `${path} is ${content}, and each use needs an approval`;

/** Matches the start of a file with a private key. */
export const privateKeyStart = /^\s*-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/;
