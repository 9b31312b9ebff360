/** Combines what the parts of a word may be to the texts that the word may be. */
import type {
  PossibleText,
  ShellCommand,
  ShellWord,
  WordPart,
} from '../../../shell/shellCommand.ts';
import { isPlainName } from './plainVariables.ts';

/** Maximum number of texts of a word. */
const maxTexts = 200;

/** A folder in a text, with everything below it that the text may name. */
export interface Below {
  readonly folder: string;
  readonly glob?: string;
}

export interface WordText {
  /** The text; a file below a folder is named `found`. */
  readonly text: string;
  /** True if `*` and `?` in the text stand for other characters. */
  readonly isPattern: boolean;
  /** Regular expression that matches what the text may be; only set if a number is in it. */
  readonly source?: string;
  readonly below?: Below;
}

type Option = WordText;

const sourceOf = ({ text, source }: Option): string =>
  source ?? text.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/[*?]/g, '[^/]*');

const fixedOption = (text: string): Option => ({ text, isPattern: false });
const number: Option = { text: '*', isPattern: true, source: String.raw`-?\d*` };
const hash: Option = { text: '*', isPattern: true };

const optionsOf = (value: PossibleText): Option => {
  if (value.kind === 'text') return fixedOption(value.text);
  if (value.kind !== 'below') return hash;
  const { folder, glob } = value;
  const text = folder === '' ? 'found' : `${folder.replace(/\/+$/, '')}/found`;
  return { ...fixedOption(text), below: { folder, ...(glob !== undefined && { glob }) } };
};

const ofPart = (part: WordPart): readonly Option[] | undefined => {
  if (part.kind === 'text') return [fixedOption(part.text)];
  if (part.kind === 'special') return [number, fixedOption('')];
  if (part.kind === 'pattern') {
    const isPlain = !/[{}$`\\[\]]/.test(part.text);
    return isPlain ? [{ text: part.text, isPattern: /[*?]/.test(part.text) }] : undefined;
  }
  // A command that prints a number prints nothing if it fails.
  return part.kind === 'choice'
    ? part.values.flatMap((each) =>
        each.kind === 'number' ? [number, fixedOption('')] : optionsOf(each),
      )
    : undefined;
};

/** Returns the folder with its text before it; after other text, only all below it is known. */
function joinBelow(a: Option, b: Option): Below | undefined {
  if (b.below !== undefined) {
    const { folder, glob } = b.below;
    if (a.below !== undefined) return { folder: a.below.folder };
    return { folder: a.text + folder, ...(glob !== undefined && { glob }) };
  }
  if (a.below === undefined || b.text === '') return a.below;
  // A text that is joined to a name, and does not go below it, may name a neighbour of the folder.
  const { folder } = a.below;
  return { folder: b.text.startsWith('/') ? folder : `${folder}/..` };
}

function joinOptions(a: Option, b: Option): Option {
  const below = joinBelow(a, b);
  const isPattern = a.isPattern || b.isPattern;
  const hasNumber = a.source !== undefined || b.source !== undefined;
  return {
    text: a.text + b.text,
    isPattern,
    ...(hasNumber && { source: sourceOf(a) + sourceOf(b) }),
    ...(below !== undefined && { below }),
  };
}

/**
 * Returns the words of a command of which a shell may make several arguments. Empty for programs
 * that no argument makes do more.
 */
export const splittableWords = ({ words }: Pick<ShellCommand, 'words'>): readonly ShellWord[] =>
  /^(?:echo|test|\[)$/.test(words[0]?.text ?? '') ? [] : words.filter(({ isSplit }) => isSplit);

/** Returns true for a word with a part of which several texts are possible. */
export const hasChoice = ({ parts }: ShellWord): boolean =>
  parts?.some(({ kind }) => kind === 'choice' || kind === 'special') === true;

/**
 * Returns the texts that a word may be; `undefined` if they are too many or not known, or could be
 * read as a home folder.
 */
export function wordTexts(word: ShellWord): readonly WordText[] | undefined {
  const all = allTexts(word);
  return all?.every(({ text }) => !text.startsWith('~')) === true ? all : undefined;
}

function allTexts({ parts = [] }: Pick<ShellWord, 'parts'>): readonly WordText[] | undefined {
  let all: readonly Option[] = [fixedOption('')];
  for (const part of parts) {
    const options = ofPart(part);
    if (options === undefined || options.length * all.length > maxTexts) return undefined;
    all = all.flatMap((before) => options.map((option) => joinOptions(before, option)));
  }
  return all;
}

/** Returns true for a word that a program may read as an option, because of its possible texts. */
export function mayBeOption(word: ShellWord): boolean {
  const first = word.parts?.find((part) => part.kind !== 'text' || part.text !== '');
  if (first?.kind !== 'choice') return false;
  const isUnclear = first.values.some(
    (value) => value.kind === 'below' && value.mayBeOption === true,
  );
  const texts = allTexts(word);
  if (texts !== undefined) return isUnclear || texts.some(({ text }) => /^-./.test(text));
  const begins = knownStart(word);
  return isUnclear || begins.some(({ text }) => text === '' || text.startsWith('-'));
}

/** Returns the texts with which a word may begin: those of its first parts, as far as known. */
function knownStart({ parts = [] }: ShellWord): readonly WordText[] {
  for (let count = parts.length - 1; count > 0; count -= 1) {
    const texts = allTexts({ parts: parts.slice(0, count) });
    if (texts !== undefined) return texts;
  }
  return [fixedOption('')];
}

/** Returns true for a word that is a whole number whatever its possible values. */
export const isNumber = ({ text, isDynamic, parts = [] }: ShellWord): boolean => {
  if (!isDynamic) return /^-?\d{1,15}$/.test(text);
  const [part, ...others] = parts.filter((each) => each.kind !== 'text' || each.text !== '');
  if (part === undefined || others.length > 0) return false;
  return part.kind === 'special' || (part.kind === 'choice' && part.values.every(isNumeric));
};

export const isNumeric = (value: PossibleText): boolean =>
  value.kind === 'number' || (value.kind === 'text' && /^-?\d{1,15}$/.test(value.text));

/** Returns true for a word that may become several words. */
export const isList = ({ parts }: ShellWord): boolean =>
  parts?.some((part) => part.kind === 'choice' && part.isList) === true;

/**
 * Returns true for a word that is one argument whatever the values in it, and shows no secret: all
 * its variables are of this line or plain.
 */
export const isPrintable = ({ parts }: ShellWord): boolean =>
  parts?.every(
    (part) =>
      /^(?:text|unknown|choice|special)$/.test(part.kind) ||
      (part.kind === 'alternative' && part.operator.endsWith('+')) ||
      ((part.kind === 'variable' || part.kind === 'alternative') && isPlainName(part.name)),
  ) === true;

/**
 * Returns all texts that a word with known values may be, as a script. A number is replaced by `1`
 * and by nothing, which it may also be. `undefined` if a part is no text or number, or if the texts
 * are too many.
 */
export function scriptTexts(word: ShellWord): readonly string[] | undefined {
  const { parts = [] } = word;
  const numbers = isNumber(word) ? ['1'] : ['1', ''];
  let all: readonly string[] = [''];
  for (const part of parts) {
    const texts = scriptTextsOf(part, numbers);
    if (texts === undefined || texts.length * all.length > maxTexts) return undefined;
    all = all.flatMap((before) => texts.map((each) => before + each));
  }
  return all;
}

function scriptTextsOf(part: WordPart, numbers: readonly string[]): readonly string[] | undefined {
  if (part.kind === 'text') return [part.text];
  if (part.kind === 'special') return numbers;
  if (part.kind !== 'choice' || part.isList) return undefined;
  if (part.values.some(({ kind }) => kind === 'below' || kind === 'hash')) return undefined;
  return part.values.flatMap((value) => (value.kind === 'text' ? [value.text] : numbers));
}

/** Returns true for a word whose values are all of this line, and so show nothing of the machine. */
export const isOfLine = ({ isDynamic, parts }: ShellWord): boolean =>
  !isDynamic || parts?.every(({ kind }) => /^(?:text|choice|unknown)$/.test(kind)) === true;
