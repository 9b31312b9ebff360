/** A string of loose JSON: other quotes, raw line breaks, backslashes that escape nothing, and quotes inside. */

/** What was put right on the way to a value, in words. */
export type Repairs = readonly string[];

export interface FoundString {
  readonly value: string;
  /** After the closing quote. */
  readonly at: number;
  readonly repairs: Repairs;
}

const closing: Readonly<Record<string, string>> = { '"': '"', "'": "'", '“': '“”', '”': '“”', '‘': '‘’', '’': '‘’' };

/** The quotes that end the string that begins here; undefined where none begins. */
export const quoteAt = (text: string, at: number): string | undefined => closing[text[at] ?? ''];

/**
 * The string that begins at `from`; nothing where it does not end. Given `names`, quotes may stand inside of it, and each
 * way to end it is tried: a quote with one of these names behind it as the next member ends the string for certain.
 */
export function* looseString(text: string, from: number, names?: ReadonlySet<string>): Generator<FoundString, void> {
  const quotes = quoteAt(text, from) ?? '';
  const style: Repairs = text[from] === '"' ? [] : ['other quotes than double ones'];
  let innerQuotes: Repairs = [];
  for (let at = from + 1; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '\\') at += 1;
    else if (quotes.includes(character)) {
      const inside = unescaped(text.slice(from + 1, at));
      const found = { ...inside, at: at + 1, repairs: [...style, ...innerQuotes, ...inside.repairs] };
      if (names === undefined) {
        yield found;
        return;
      }
      const after = text.slice(at + 1, at + 1 + lookAheadChars);
      if (goesOnPattern.test(after)) yield found;
      if (names.has(nextNamePattern.exec(after)?.[1] ?? '')) return;
      innerQuotes = ['quotes inside a text'];
    }
  }
}

const lookAheadChars = 200;
/** Where JSON goes on as it must: only there may a quote among others be the last one. */
const goesOnPattern = /^\s*(?:$|[}\]]|,\s*["'“‘{[\w-])/;
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

/** What stands between the quotes. In a path of Windows a backslash is only ever itself. */
function unescaped(raw: string): { readonly value: string; readonly repairs: Repairs } {
  const repairs: string[] = [];
  if (/[\u0000-\u001f]/.test(raw)) repairs.push('line breaks or tabs inside a text');
  const isPath = drivePattern.test(raw);
  const value = raw.replace(escapePattern, (whole, code: string | undefined, letter: string | undefined) => {
    if (isPath && letter !== '"') {
      repairs.push('single backslashes');
      return whole === '\\\\' ? '\\' : whole;
    }
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    const meant = escapes[letter ?? ''];
    if (meant === undefined) repairs.push('single backslashes');
    else if (letter === "'") repairs.push('escapes that JSON does not have');
    return meant ?? whole;
  });
  return { value, repairs };
}
