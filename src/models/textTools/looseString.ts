/**
 * Reads a string of loose JSON, which may have other quotes than JSON, raw line breaks, backslashes
 * that escape nothing, and unescaped quotes inside.
 */

/** Names of the repairs made while reading a value. */
export type Repairs = readonly string[];

export interface FoundString {
  readonly value: string;
  /** Offset after the closing quote. */
  readonly at: number;
  readonly repairs: Repairs;
}

const closing: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '“': '“”',
  '”': '“”',
  '‘': '‘’',
  '’': '‘’',
};

/**
 * Returns the quotes that can end a string that begins at `at`; undefined if no string begins
 * there.
 */
export const quoteAt = (text: string, at: number): string | undefined => closing[text[at] ?? ''];

/** Rules for finding the end of a string with quotes inside. */
export interface InnerQuotes {
  /** Matches text that may follow the closing quote. */
  readonly after: RegExp;
  /**
   * Names of members. A quote followed by a member with one of these names always ends the string.
   */
  readonly names: ReadonlySet<string>;
}

/** Matches text that may follow a member of an object. */
export const afterMember = /^\s*(?:$|[}\]]|,\s*(?:["'“‘][^"'“”‘’\n]*["'”’]|[\w$]+)\s*:)/;
/** Matches text that may follow an item of a list. */
export const afterItem = /^\s*(?:$|[}\]]|,\s*["'“‘{[\w-])/;

/**
 * Yields the string that begins at `from`; nothing if the string does not end. If the string may
 * contain quotes, yields a string for each possible end.
 */
export function* looseString(
  text: string,
  from: number,
  inner?: InnerQuotes,
): Generator<FoundString, void> {
  const quotes = quoteAt(text, from) ?? '';
  const style: Repairs = text[from] === '"' ? [] : ['quotes other than double quotes'];
  let innerQuotes: Repairs = [];
  for (let at = from + 1; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '\\') at += 1;
    else if (quotes.includes(character)) {
      const after = text.slice(at + 1, at + 1 + lookAheadChars);
      if (inner === undefined || inner.after.test(after)) {
        const inside = unescaped(text.slice(from + 1, at));
        yield { ...inside, at: at + 1, repairs: [...style, ...innerQuotes, ...inside.repairs] };
      }
      if (inner === undefined || inner.names.has(nextNamePattern.exec(after)?.[1] ?? '')) return;
      innerQuotes = ['quotes inside a string'];
    }
  }
}

const lookAheadChars = 200;
const nextNamePattern = /^\s*,\s*["'“‘]?([\w$]+)["'”’]?\s*:/;

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

const drivePattern = /^[A-Za-z]:\\(?!\\)/;
const escapePattern = /\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g;

/** Resolves the escapes between the quotes. In a Windows path, a backslash is always literal. */
function unescaped(raw: string): { readonly value: string; readonly repairs: Repairs } {
  const repairs: string[] = [];
  if (/[\u0000-\u001f]/.test(raw)) repairs.push('line breaks or tabs inside a string');
  const isPath = drivePattern.test(raw);
  const value = raw.replace(
    escapePattern,
    (whole, code: string | undefined, letter: string | undefined) => {
      if (isPath && letter !== '"') {
        repairs.push('single backslashes');
        return whole === '\\\\' ? '\\' : whole;
      }
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
      const replacement = escapes[letter ?? ''];
      if (replacement === undefined) repairs.push('single backslashes');
      else if (letter === "'") repairs.push('escapes that JSON does not have');
      return replacement ?? whole;
    },
  );
  return { value, repairs };
}
