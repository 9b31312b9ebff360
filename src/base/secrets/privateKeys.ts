/**
 * Finds private keys in PEM, OpenSSH, PGP and PuTTY files, whole or truncated. The lines of a key
 * may begin with a file name and a line number, as searches print them.
 */
import type { SecretSpan } from './secretSpan.ts';

const begin = /-----BEGIN ([A-Z0-9 ]{0,40})-----/g;
const puttyBegin = /PuTTY-User-Key-File-\d/g;
const puttyEnd = 'Private-MAC:';

/** Matches the content of a key, also as part of a string in JSON or source code. */
const body = /(?:[A-Za-z\d+/=:,.\s"'-]|\\+[nr]|\\\n)*/y;
/** Minimum length of the content of a key. Source code may contain the first line alone. */
const minBodyChars = 40;

/** Returns the keys in the text, from the first line to the last one. Takes linear time. */
export function privateKeys(text: string): SecretSpan[] {
  return [...wholeKeys(text), ...contents(text)];
}

function wholeKeys(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  let from = 0;
  for (const { 0: line, 1: label = '', index } of text.matchAll(begin)) {
    if (index < from || !label.includes('PRIVATE KEY')) continue;
    const end = keyEnd(text, index + line.length, label);
    if (end === undefined) continue;
    spans.push({ start: index, end });
    from = end;
  }
  return [...spans, ...keyEnds(text, spans), ...puttyKeys(text)];
}

/** Matches the beginning of the content of an OpenSSH key or a DER key. */
const firstContent =
  /(?<![A-Za-z\d+/=])(?:b3BlbnNzaC1rZXktdjE|M[CHI][A-Za-z\d+/]{6,})[A-Za-z\d+/]*/g;

/**
 * Returns the contents of keys whose first and last lines are missing: a line that only a key
 * contains, and the following lines with the same prefix (such as a file name).
 */
function contents(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  let from = 0;
  for (const { 0: line, index } of text.matchAll(firstContent)) {
    if (index < from || line.length < minBodyChars || !isKeyContent(line)) continue;
    from = contentEnd(text, index, line.length);
    spans.push({ start: index, end: from });
  }
  return spans;
}

/**
 * Returns true for an OpenSSH key, and for DER with a version number, which certificates do not
 * have.
 */
function isKeyContent(line: string): boolean {
  if (line.startsWith('b3B')) return true;
  const [tag, length = 0, ...rest] = Buffer.from(line.slice(0, 24), 'base64');
  const [kind, size, version = 2] = rest.slice(length > 0x80 ? length - 0x80 : 0);
  return tag === 0x30 && kind === 0x02 && size === 1 && version <= 1;
}

const maxPrefixChars = 300;

function contentEnd(text: string, start: number, length: number): number {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const prefix = text.slice(Math.max(lineStart, start - maxPrefixChars), start);
  const words = prefix.split(/[ \t]*\d+/).map((part) => part.replace(/[^\w\s]/g, '\\$&'));
  const next = new RegExp(
    `\\s*\\n${words.join('[ \\t]*\\d+')}[A-Za-z\\d+/]{1,200}={0,2}(?=\\s|$)`,
    'y',
  );
  let end = start + length;
  for (;;) {
    next.lastIndex = end;
    const found = next.exec(text);
    if (found === null) return end;
    end += found[0].length;
  }
}

const lastLine = /-----END [A-Z0-9 ]{0,20}PRIVATE KEY[A-Z ]{0,20}-----/g;
/** Matches a character that is not part of the content of a key, nor of its line breaks. */
const notBody = /[^A-Za-z\d+/=\s"',\\]/;
const maxKeyChars = 20_000;

/** Returns the ends of keys whose first line is missing, because output may begin at any line. */
function keyEnds(text: string, whole: readonly SecretSpan[]): SecretSpan[] {
  let from = 0;
  return [...text.matchAll(lastLine)].flatMap(({ 0: line, index }) => {
    const before = text.slice(Math.max(from, index - maxKeyChars), index);
    from = index + line.length;
    const content = contentAtEnd(before);
    const isWhole = whole.some(({ start, end }) => start <= index && index < end);
    const isKey = !isWhole && content.replace(/[^A-Za-z\d+/=]/g, '').length >= minBodyChars;
    return isKey ? [{ start: index - content.trimStart().length, end: index + line.length }] : [];
  });
}

function keyEnd(text: string, from: number, label: string): number | undefined {
  const last = `-----END ${label}-----`;
  body.lastIndex = from;
  // The match also includes hyphens and capitals of the last line (`-----END …`).
  const content = body.exec(text)?.[0] ?? '';
  const at = content.indexOf(last);
  const value = at < 0 ? content : content.slice(0, at);
  if (value.replace(/[^A-Za-z\d+/=]/g, '').length < minBodyChars) return undefined;
  return from + (at < 0 ? value.trimEnd().length : at + last.length);
}

function puttyKeys(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  let from = 0;
  for (const { index } of text.matchAll(puttyBegin)) {
    if (index < from) continue;
    const at = text.indexOf(puttyEnd, index);
    from = at < 0 ? text.length : (/\n|$/.exec(text.slice(at, at + 200))?.index ?? 200) + at;
    spans.push({ start: index, end: from });
  }
  return spans;
}

/** Returns the end of the text that may be the content of a key. */
function contentAtEnd(text: string): string {
  let start = text.length;
  while (start > 0 && !notBody.test(text[start - 1] ?? '')) start--;
  return text.slice(start);
}
