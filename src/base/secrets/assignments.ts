/**
 * Finds values that are assigned to secret names: in shells, `.env` files, YAML, JSON, source code,
 * queries of addresses and options of commands.
 */
import { isPlaceholder } from './carriers.ts';
import { isHash, isPath, isRandom } from './randomness.ts';
import { secretNameKind, type SecretNameKind } from './secretNames.ts';
import type { SecretSpan } from './secretSpan.ts';

/** Matches the end of a name that may be secret, with the sign between the name and its value. */
const nameEnd =
  /(?:passw(?:or)?d|passphrase|passcode|pwd|pass|secrets?|token|pat|keys?|credentials?|auth|authorization|cookie|webhook|url|uri|dsn|string|id)\d{0,2}(?<sign>["'\]]{0,3}\s{0,8}(?:=>|:=|[:=](?![:=]))\s{0,8}|["'\]]{1,3}\s{0,8},\s{0,8}(?=["'])|[ \t]+(?=["'])|(?<option>[ \t]+))/gi;

const nameStart = /[\w.-]{0,64}$/;
const quotedValue = /([bru]?)(["'`])((?:(?!\2)[^\n\\]|\\.){1,1024})(?:\2|(?=\n)|$)/iy;
const bareValue = /[^\s"'`,;&<>(){}[\]⟨⟩]{1,1024}/y;
const maxNameChars = 64;
/** Minimum length of a random value with slashes that is treated as a secret, not as a path. */
const minRandomChars = 24;
/** Minimum length of a random value that is treated as a secret, not as a name. */
const minRandomWord = 14;

interface Assignment {
  readonly name: string;
  readonly sign: string;
  /** `''` for a value without quotes. */
  readonly quote: string;
  readonly value: string;
  /** Offset of the value in the text. */
  readonly start: number;
  /** The character before the name, and the character after the value. */
  readonly around: readonly [before: string, after: string];
}

/** Maximum number of names that are remembered. */
const maxNames = 1000;
const answers = new Map<string, boolean>();

/** Returns true for a name whose value may be secret. Asked often about the same names of fields. */
export function mayNameSecret(name: string): boolean {
  const known = answers.get(name);
  if (known !== undefined) return known;
  const answer = kindOf(name) !== undefined;
  if (answers.size < maxNames) answers.set(name, answer);
  return answer;
}

/** Returns the secret values in the text. Takes linear time. */
export function assignedSecrets(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const match of text.matchAll(nameEnd)) {
    const found = assignmentAt(text, match);
    if (found !== undefined && isSecretValue(found))
      spans.push({ start: found.start, end: found.start + found.value.length });
  }
  return spans;
}

function assignmentAt(text: string, match: RegExpExecArray): Assignment | undefined {
  const sign = match.groups?.['sign'] ?? '';
  const nameStop = match.index + match[0].length - sign.length;
  const head = text.slice(Math.max(0, nameStop - maxNameChars), nameStop);
  const name = nameStart.exec(head)?.[0] ?? '';
  if (kindOf(name) === undefined) return undefined;
  const isOption = match.groups?.['option'] !== undefined;
  if (isOption && !/^--?[a-z]/.test(name)) return undefined;
  const at = nameStop + sign.length;
  const { value, start, quote } = valueAt(text, at);
  if (value === '') return undefined;
  const end = start + value.length + quote.length;
  const around = [text[nameStop - name.length - 1] ?? '\n', text[end] ?? '\n'] as const;
  return { name, sign, quote, value, start, around };
}

function valueAt(text: string, at: number): Pick<Assignment, 'value' | 'start' | 'quote'> {
  quotedValue.lastIndex = at;
  const quoted = quotedValue.exec(text);
  if (quoted !== null) {
    const [, prefix = '', quote = '', value = ''] = quoted;
    return { quote, value: value.trimEnd(), start: at + prefix.length + 1 };
  }
  bareValue.lastIndex = at;
  return { quote: '', value: bareValue.exec(text)?.[0] ?? '', start: at };
}

/** Returns true for a value that is a secret, and not code, a word, a number, a path or a hash. */
function isSecretValue(found: Assignment): boolean {
  const kind = kindOf(found.name);
  if (kind === undefined || isOther(found)) return false;
  if (isInSettings(found)) return isChosen(found, kind);
  return found.quote === '' || found.sign.includes(',')
    ? isBareSecret(found.value, kind)
    : isQuotedSecret(found, kind);
}

/**
 * Returns the kind of a name. `Pwd` is secret in connection strings; as a variable, it is the name
 * of the working folder.
 */
const kindOf = (name: string): SecretNameKind | undefined =>
  secretNameKind(name) ?? (/(?:^|[^a-z])pwd$/i.test(name) ? 'likely' : undefined);

/** Returns true for a value that is a placeholder, a path, a variable or an expression. */
const isOther = ({ value, quote, around: [, after] }: Assignment): boolean =>
  isPlaceholder(value) ||
  isReference(value) ||
  (isPath(value) && !isRandom(value, minRandomChars)) ||
  (quote === '' && (/[([]/.test(after) || (/[),]/.test(after) && /^[A-Za-z_]\w*$/.test(value))));

/** Returns true for a reference to a variable, a type or an expression of a program. */
const isReference = (value: string): boolean =>
  /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+[!;]?$/.test(value) ||
  /[|?*]$|^[!&@|]|=>|^[\w$]+\$\d$/.test(value);

/**
 * Returns true for an assignment outside source code: `NAME=value` without spaces, `"name":
 * "value"`, an option of a command, or a part of an address.
 */
const isInSettings = (found: Assignment): boolean =>
  isVariable(found) ||
  (found.sign === '=' && /[?&;\s\n]/.test(found.around[0]) && found.quote === '') ||
  /^["']\s*:\s*$/.test(found.sign) ||
  found.name.startsWith('--');

const isVariable = ({ name, sign }: Assignment): boolean =>
  /^[A-Z][A-Z\d_]+$/.test(name) && /^\s?=\s?$|^:\s$/.test(sign);

/** Returns true for a value that a person or a program chose as a secret. */
function isChosen(found: Assignment, kind: SecretNameKind): boolean {
  const { name, value, sign } = found;
  if (value.length < 6 || /\s/.test(value)) return false;
  if (kind === 'likely') return isQuotedSecret(found, kind);
  if (isPassword(name)) return !/^[a-z]+(?:_[a-z]+)*$/i.test(value) || isVariable(found);
  const isSet = sign === '=' && isVariable(found);
  return value.length >= 8 && isMixed(value) && (isSet || !isName(value));
}

const isPassword = (name: string): boolean => /passw|pwd|passphrase|pass$/i.test(name);

/** Returns true for a value in quotes in source code that seems to be a secret. */
function isQuotedSecret({ value, name }: Assignment, kind: SecretNameKind): boolean {
  if (/\s/.test(value)) return false;
  if (isPassword(name)) return value.length >= 6 && isMixed(value);
  const least = kind === 'certain' ? 10 : 16;
  return value.length >= least && isMixed(value) && isUnlikeWords(value, kind);
}

/**
 * Returns true for a secret without quotes. Source code would have a name or an expression there.
 */
const isBareSecret = (value: string, kind: SecretNameKind): boolean =>
  value.length >= (kind === 'certain' ? 8 : 16) && isMixed(value) && isUnlikeWords(value, kind);

function isUnlikeWords(value: string, kind: SecretNameKind): boolean {
  if (isName(value)) return false;
  if (kind === 'likely') return isRandom(value, 16);
  return isHash(value) ? value.length >= 24 : isRandom(value, 8) || /\d/.test(value);
}

/** Returns true for letters with digits, or with signs that names do not have. */
const isMixed = (value: string): boolean =>
  /[A-Za-z]/.test(value) && (/[\d!@#$%^&*+=~?]/.test(value) || isRandom(value, minRandomWord));

/** Returns true for an identifier that does not seem to be random. */
const isName = (value: string): boolean => isIdentifier(value) && !isRandom(value, minRandomWord);

/** Returns true for joined words of letters that have at most four digits at their ends. */
const isIdentifier = (value: string): boolean =>
  /^[A-Za-z]+\d{0,4}(?:[-_.:/][A-Za-z]{0,30}\d{0,4})*$/.test(value) ||
  /^[A-Z]?[a-z]{2,20}\d{0,2}(?:[A-Z][a-z]{1,20}\d{0,2}){0,5}$/.test(value);
