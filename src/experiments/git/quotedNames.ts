/** Names of files as git quotes them in lines, with one character per byte (latin1). */

const letters: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
};

const octal = (char: string): string => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`;

/** Returns the name in quotes, as git reads it, if it has quotes or control characters. */
export const quoteName = (name: string): string =>
  /["\\\p{Cc}]/u.test(name) ? `"${name.replace(/["\\\p{Cc}]/gu, octal)}"` : name;

/** Returns the name in a line that git printed. */
export const unquoteName = (line: string): string =>
  line.startsWith('"')
    ? line
        .slice(1, -1)
        .replace(/\\(?:([0-7]{3})|(.))/g, (_, digits: string | undefined, letter: string) =>
          digits === undefined
            ? (letters[letter] ?? letter)
            : String.fromCharCode(parseInt(digits, 8)),
        )
    : line;
