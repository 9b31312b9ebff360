/**
 * Removes secrets from text that leaves Helios in a notification, a report or an export: secrets
 * that are known, and text that has the form of a secret. May remove too much, but leaves metric
 * names, numbers, hashes and ids unchanged.
 */

export const redactedMark = '[redacted]';

/** Minimum length of a known secret. A shorter secret would also match ordinary words. */
const minChars = 6;

/**
 * Replaces secrets with `redactedMark`. Finds the `known` secrets as they are, and as encoded in
 * URLs, JSON and base64.
 */
export function redact(text: string, known: Iterable<string> = []): string {
  const knownForms = [...new Set([...known].flatMap(formsOf))].sort((a, b) => b.length - a.length);
  const redacted = knownForms.reduce((rest, secret) => rest.replaceAll(secret, redactedMark), text);
  return redacted.includes('\u001b') ? withColours(redacted) : withoutShapes(redacted);
}

/**
 * Redacts text that contains colour codes. Separates each code from the word after it, since the
 * last letter of the code would otherwise seem to be the first letter of the word.
 */
const withColours = (text: string): string =>
  withoutShapes(text.replace(colour, '$&\u0000')).replaceAll(afterColour, '');

const colour = /\u001b\[[\d;]*m/g;
const afterColour = /(?<=\u001b\[[\d;]*m)\u0000/g;

function withoutShapes(text: string): string {
  return shapes
    .reduce((rest, { pattern, put = redactedMark }) => rest.replace(pattern, put), text)
    .replace(assignment, withoutValue)
    .replace(longWord, (word) => (isRandom(word) ? redactedMark : word));
}

/** Returns true when any part of the text has the form of a secret. */
export const looksSecret = (text: string): boolean => redact(text) !== text;

/** Holds the secrets that this process knows, only in memory. */
export class KnownSecrets {
  readonly #known = new Set<string>();

  /** Adds the values of environment variables whose names denote secrets. */
  constructor(env: Readonly<Record<string, string | undefined>> = {}) {
    for (const [name, value] of Object.entries(env)) if (isSecretName(name)) this.add(value);
  }

  /**
   * Adds a secret and returns it. If the secret is a JSON object, also adds each string value of at
   * least 12 characters in that object.
   */
  add<Value extends string | undefined>(value: Value): Value {
    for (const text of textsIn(value)) this.#known.add(text);
    return value;
  }

  readonly redact = (text: string): string => redact(text, this.#known);
}

/** Returns true for names of environment variables that usually contain secrets. */
export const isSecretName = (name: string): boolean =>
  /(?:key|token|secret|password|passwd|passphrase|credentials?|webhook(?:_url)?)$/i.test(name);

function textsIn(value: string | undefined): string[] {
  const text = value?.trim() ?? '';
  if (text.length < minChars) return [];
  return [
    text,
    ...(text.startsWith('{')
      ? [...text.matchAll(/:\s*"([^"\\]{12,})"/g)].map(([, part = '']) => part)
      : []),
  ];
}

function formsOf(secret: string): string[] {
  if (secret.length < minChars) return [];
  const base64 = Buffer.from(secret).toString('base64');
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    base64,
    base64.replace(/=+$/, ''),
  ];
}

interface Shape {
  readonly pattern: RegExp;
  /** Replacement for the match. Default: `redactedMark`. */
  readonly put?: string;
}

/** Patterns for tokens of well-known services, by their prefixes. */
const prefixes = [
  'sk-(?:ant-|proj-|or-v1-|svcacct-)?[\\w-]{16,}',
  '(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}',
  '(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\\w{20,})',
  '(?:glpat|gldt|glrt|glsa|glc)[-_][\\w=-]{16,}',
  '(?:hf|api_org)_[A-Za-z0-9]{20,}',
  '(?:xox[abeoprs]|xapp|xwfp)-[A-Za-z0-9-]{10,}',
  '(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{12,}',
  'AIza[\\w-]{30,}',
  'ya29\\.[\\w.-]{20,}',
  'GOCSPX-[\\w-]{20,}',
  'npm_[A-Za-z0-9]{20,}',
  'pypi-[\\w-]{20,}',
  'SG\\.[\\w-]{16,}\\.[\\w-]{16,}',
  '(?:gsk|r8|fw|csk|whsec|phc|phx|sqp|dp\\.pt|lin_api|rnd|re|tvly|pcsk|jina|wandb_v1)[_.-][A-Za-z0-9_]{20,}',
  '(?:nvapi|xai|pplx|tgp_v1|apify_api|wmk|rpa)[-_][\\w-]{20,}',
  '(?:dop|doo|dor)_v1_[a-f0-9]{32,}',
  '(?:shpat|shpss|shpca)_[a-fA-F0-9]{20,}',
  '(?:hvs|hvb|s)\\.[A-Za-z0-9_-]{24,}',
  'dapi[a-f0-9]{32}',
  'ATATT3[\\w=.-]{20,}',
  'sntrys_[\\w=+/.-]{20,}',
  'AGE-SECRET-KEY-1[A-Z0-9]{20,}',
  'eyJ[\\w-]{10,}\\.[\\w-]{10,}(?:\\.[\\w-]*)?',
  '\\d{8,10}:AA[\\w-]{32,}',
  'key-[a-f0-9]{32}',
].join('|');

const shapes: readonly Shape[] = [
  {
    pattern:
      /-----BEGIN ([A-Z0-9 ]*PRIVATE KEY[A-Z ]*)-----[\s\S]*?(?:-----END \1-----|(?![\s\S]))/g,
  },
  { pattern: /PuTTY-User-Key-File-\d[\s\S]*?(?:Private-MAC: *[a-f0-9]+|(?![\s\S]))/g },
  // Credentials in front of the host of a URL, and webhook URLs, which are secrets as a whole.
  {
    pattern: /\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@:'"<>]*:[^\s/@'"<>]+(?=@)/gi,
    put: `$1${redactedMark}`,
  },
  {
    pattern: /(hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/-]+/gi,
    put: `$1${redactedMark}`,
  },
  {
    pattern: /(discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/)[\w/-]+/gi,
    put: `$1${redactedMark}`,
  },
  { pattern: /(webhook\.office\.com\/)[^\s'"<>]+/gi, put: `$1${redactedMark}` },
  { pattern: /(api\.telegram\.org\/bot)[\w:-]+/gi, put: `$1${redactedMark}` },
  { pattern: new RegExp(`(?<![\\w-])(?:${prefixes})`, 'g') },
  {
    pattern: /\b((?:bearer|basic|digest|token)\s+)[\w.~+/-]{12,}={0,2}/gi,
    put: `$1${redactedMark}`,
  },
  { pattern: /(\blogin\s+\S+\s+password\s+)\S+/gi, put: `$1${redactedMark}` },
  {
    pattern:
      /(\b(?:sshpass\s+-p|curl\b[^\n]{0,500}?\s(?:-u|--user)|mysql\b[^\n]{0,500}?\s-p)\s*)(?:'[^']*'|"[^"]*"|\S+)/g,
    put: `$1${redactedMark}`,
  },
];

/**
 * Matches the assignment of a secret to a name in shells, .env files, YAML, JSON, HTTP headers, URL
 * queries and command-line options.
 */
const assignment =
  /((?:passw(?:or)?d|passphrase|secret|secret[_-]?access[_-]?key|api[_-]?key|access[_-]?key|private[_-]?key|account[_-]?key|token|authorization|credentials?|_auth|\bpwd|\bauth|signature|\bsig)["'\]]{0,2}(?:\s*(?:=>|[:=])\s*|\s+(?=["'])|(?<=--[\w-]{1,60})\s+))("[^"\n]*"|'[^'\n]*'|[^\s"',;&<>(){}[\]]+)/gi;

function withoutValue(whole: string, name: string, written: string): string {
  const [, quote = '', value = ''] = /^(["']?)(.*?)\1$/s.exec(written) ?? [];
  return isHarmless(name, value) ? whole : `${name}${quote}${redactedMark}${quote}`;
}

/**
 * Returns true for a value that is no secret: a number, a reference to another variable, an empty
 * value, or a token in the sense of a tokenizer. A name such as `token` or `signature` may denote
 * something that is not secret, such as a word of a vocabulary or the type of a function; after
 * such a name, only a value with a digit and at least 8 characters is considered secret.
 */
function isHarmless(name: string, value: string): boolean {
  if (
    value.length < 4 ||
    value.startsWith(redactedMark) ||
    /^(?:bearer|basic|digest|token)\b/i.test(value)
  )
    return true;
  if (
    /^(?:\$|\*+$|<|%|[-+]?[\d.,_]+(?:e[-+]?\d+)?[kmg]?$|(?:none|null|nil|true|false|undefined|required|optional)$)/i.test(
      value,
    )
  )
    return true;
  const isVague = /(?:token|auth|signature|sig|credentials?)\W*$/i.test(name);
  return isVague && !(/\d/.test(value) && value.length >= 8);
}

/** Matches a word of 40 to 200 characters that is neither part of a path nor of encoded data. */
const longWord = /(?<![\w+/=.-])(?<!base64,)[\w+=-]{40,200}(?![\w+/=.-])/g;

/**
 * Minimum number of changes between lowercase letters, capitals and digits, per character of a
 * word, from which the word is considered random. Ordinary words and file names have fewer changes.
 */
const minChangesPerCharacter = 0.4;

function isRandom(word: string): boolean {
  const changes = [...word.matchAll(/[a-z](?=[A-Z\d])|[A-Z](?=[a-z\d])|\d(?=[a-zA-Z])/g)].length;
  return (
    /[a-z]/.test(word) &&
    /[A-Z]/.test(word) &&
    /\d/.test(word) &&
    changes >= minChangesPerCharacter * word.length
  );
}
