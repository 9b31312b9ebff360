/** A shell command → the simple commands in it, each as plain words. Where the shell would do more, it says so. */

export interface SimpleCommand {
  /** Quotes resolved; redirections left out. */
  readonly words: readonly Word[];
}

export interface Word {
  readonly text: string;
  /** Some of it stood in quotes or behind a backslash. */
  readonly isQuoted: boolean;
}

interface Piece {
  readonly text: string;
  readonly kind: 'word' | 'end' | 'redirect';
  readonly isQuoted: boolean;
}

const constructs = /^(?:if|for|while|until|case|select|function|\{|\}|\[\[|\(\()$/;

/**
 * The simple commands in their order. `undefined` where the command holds what only a shell can resolve: a substitution, a
 * here-document, a loop, an unclosed quote.
 */
export function simpleCommands(command: string): readonly SimpleCommand[] | undefined {
  const pieces = piecesOf(command.replaceAll('\\\n', ' '));
  if (pieces === undefined) return undefined;
  const commands: Word[][] = [[]];
  let isTarget = false;
  for (const { text, kind, isQuoted } of pieces) {
    if (kind === 'end') commands.push([]);
    else if (kind === 'redirect') {
      if (text.includes('<<')) return undefined;
      isTarget = !/&\d?-?$/.test(text) || text === '&>';
    } else if (isTarget) isTarget = false;
    else commands.at(-1)?.push({ text, isQuoted });
  }
  const full = commands.filter((words) => words.length > 0);
  const isPlain = full.every(([first]) => first !== undefined && (first.isQuoted || !constructs.test(first.text)));
  return isPlain ? full.map((words) => ({ words })) : undefined;
}

const space = /^[ \t\r]+/;
const comment = /^#[^\n]*/;
const redirect = /^(?:&>>?|\d*(?:>>|>&\d?-?|>\||>|<<-?|<&\d?|<>|<))/;
const end = /^(?:&&|\|\||\|&|[;|&\n()])+/;
const plain = /^[^\s'"\\;|&<>()$`]+/;
const single = /^'([^']*)'/;
const double = /^"((?:[^"\\$`]|\\[\s\S])*)"/;
const escaped = /^\\([\s\S])/;
/** A variable is left as it is written: its value is not known here. */
const variable = /^\$(?:\w+|\{\w+\}|[?#@*!$-])/;

function piecesOf(command: string): Piece[] | undefined {
  const pieces: Piece[] = [];
  let rest = command;
  const take = (pattern: RegExp): string | undefined => {
    const found = pattern.exec(rest)?.[0];
    if (found !== undefined) rest = rest.slice(found.length);
    return found;
  };
  while (rest !== '') {
    if (take(space) !== undefined || take(comment) !== undefined) continue;
    const redirection = take(redirect);
    const ending = redirection ?? take(end);
    if (ending !== undefined) {
      pieces.push({ text: ending, kind: redirection === undefined ? 'end' : 'redirect', isQuoted: false });
      continue;
    }
    const word = wordAt(rest);
    if (word === undefined) return undefined;
    pieces.push({ ...word, kind: 'word' });
    rest = rest.slice(word.length);
  }
  return pieces;
}

function wordAt(text: string): (Word & { readonly length: number }) | undefined {
  let rest = text;
  let said = '';
  let isQuoted = false;
  for (;;) {
    const quoted = single.exec(rest) ?? double.exec(rest) ?? escaped.exec(rest);
    const found = quoted ?? plain.exec(rest) ?? variable.exec(rest);
    if (found === null) break;
    said += quoted === null ? found[0] : unescaped(found);
    isQuoted ||= quoted !== null;
    rest = rest.slice(found[0].length);
  }
  const length = text.length - rest.length;
  return length === 0 || /^[`"'$\\]/.test(rest) ? undefined : { text: said, isQuoted, length };
}

const unescaped = ([whole, inner = '']: RegExpExecArray): string =>
  whole.startsWith('"') ? inner.replace(/\\(["\\$`])/g, '$1') : inner;
