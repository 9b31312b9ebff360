/**
 * Reads the commands of a shell text. A word that only the shell can resolve is marked `isDynamic`.
 * The result is `undefined` for a text that is not understood, nested too deeply or too long.
 */
import type { Node } from 'web-tree-sitter';
import { placeOf } from './children.ts';
import { CommandReader } from './commandReader.ts';
import { syntaxTree } from './grammar.ts';
import { expansionsIn, takeOutHeredocs, type Sign } from './heredoc.ts';
import { must, NotUnderstood } from './notUnderstood.ts';
import type { ShellCommand, ShellText } from './shellCommand.ts';
import { expansion } from './words.ts';

/**
 * Maximum length of a text, not counting here-documents. Needed because the grammar is slow on
 * malformed text.
 */
const maxCharacters = 20_000;
/** Maximum number of `<<` signs that turn out not to be here-documents. */
const maxOthers = 20;

/** Parses a shell text. Call `loadShell` first. Never throws, whatever the text. */
export function parseShell(text: string): ShellText | undefined {
  try {
    return read(text, 0);
  } catch (error) {
    if (error instanceof NotUnderstood) return undefined;
    throw error;
  }
}

function read(original: string, depth: number): ShellText {
  // The grammar treats a NUL as the end of the text.
  must(!original.includes('\0'));
  // A shell reads an escaped carriage return as a character of a word, and then the line end; the
  // grammar does not.
  must(!original.includes('\\\r'));
  // Remove a backslash at the end of the last line: there is no next line to join.
  const whole = original.replace(/\r+(?=\n|$)/g, '').replace(/(?<=[ \t])\\\n\s*$/, '');
  const others = new Set<number>();
  for (;;) {
    const { text, heredocs, signs } = takeOutHeredocs(whole, others);
    must(text.length <= maxCharacters);
    const tree = syntaxTree(text);
    try {
      const root = tree.rootNode;
      const wrong = signs.findIndex((sign, index) => !others.has(index) && !isSign(root, sign));
      if (wrong < 0) {
        must(
          !root.hasError &&
            signs.every((sign, index) => others.has(index) || endsOutside(root, sign)),
        );
        const reader = new CommandReader({ read: commandsOf, expansionsOf, heredocs }, depth);
        reader.statement({ ...placeOf(root, text), start: 0, end: text.length });
        const { found: commands, isPlain, isFlat, hasBackground, layout } = reader;
        return { commands, isPlain, isFlat, hasBackground, ...(layout && { layout }) };
      }
      must(others.size < maxOthers && [...others].every((other) => other < wrong));
      others.add(wrong);
    } finally {
      tree.delete();
    }
  }
}

const commandsOf = (text: string, depth: number): readonly ShellCommand[] =>
  read(text, depth).commands;

const expansionsOf = (text: string): readonly string[] => expansionsIn(text, isExpansion);

/** Returns true when the tree shows the input redirection that replaced the here-document. */
function isSign(root: Node, { at }: Sign): boolean {
  const node = root.descendantForIndex(at, at + 1);
  return node?.type === '<' && node.parent?.type === 'file_redirect';
}

/**
 * Returns false if the line with the `<<` of a here-document ends within quotes or a substitution:
 * shells then disagree on where the text of the here-document begins.
 */
function endsOutside(root: Node, { at, lineEnd }: Sign): boolean {
  const around = surroundings(root, at);
  if (around?.id !== surroundings(root, lineEnd)?.id) return false;
  // In a substitution, bash 5.2 drops each `;` after a here-document, so only the closing `)` may
  // follow its line.
  return around === null || /^\s*\)$/.test(around.text.slice(lineEnd - around.startIndex));
}

/** Types of nodes that may span several lines. */
const quoting = /(?:string|_substitution|expansion|array)$/;

function surroundings(root: Node, at: number): Node | null {
  let node = root.descendantForIndex(at, at + 1);
  while (node !== null && !quoting.test(node.type)) node = node.parent;
  return node;
}

/** Returns true for a text that is exactly one expansion. */
function isExpansion(text: string): boolean {
  const tree = syntaxTree(text);
  try {
    const word = tree.rootNode.firstChild?.firstChild?.firstChild;
    return !tree.rootNode.hasError && word?.endIndex === text.length && expansion.test(word.type);
  } finally {
    tree.delete();
  }
}
