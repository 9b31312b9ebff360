/** Keeps the variables of a line, and tells what its words may be at a command. */
import type { ShellCommand, ShellWord, WordPart } from '../../../shell/shellCommand.ts';
import { elementsOf } from '../values/elements.ts';
import { spreadArguments, type Argument, type Call } from './functions.ts';
import { listingOf, listsNames } from '../files/listings.ts';
import { loopValues, type LoopPlace } from '../files/loopValues.ts';
import { wordTexts, isList, isPrintable, isOfLine } from '../values/possibleTexts.ts';
import { isSplit, expandCommand, expandWord, type ValueOf } from '../values/expansion.ts';
import { joinValues, textValue, type Scope, type Values } from '../values/variables.ts';
import { nameParts } from '../values/pathNames.ts';
import { pipelineOf } from '../../../shell/pipelines.ts';
import { expandBraces } from '../values/braces.ts';

export class LineValues {
  /** The variables that the next command may use. */
  scope: Scope = new Map();
  /** The calls of functions in which the next command runs. */
  calls: readonly Call[] = [];
  /** The variables where `break` and `continue` leave the body of the loop. */
  exits: Scope[] = [];
  readonly #placeAt: (operator: string) => LoopPlace;

  constructor(placeAt: (operator: string) => LoopPlace) {
    this.#placeAt = placeAt;
  }

  /** Sets a variable; of an array, the first element. */
  set(name: string, values: Values): void {
    const elements = `${name}[@]`;
    const before = this.scope.get(elements);
    const all = before && joinValues(joinValues(before, values), this.scope.get(name) ?? []);
    this.scope = new Map([
      ...this.scope,
      [name, all ?? values],
      ...(all ? ([[elements, all]] as const) : []),
    ]);
  }

  isArray(name: string): boolean {
    return this.scope.has(`${name}[@]`);
  }

  expand(command: ShellCommand, operator: string): ShellCommand {
    const words = spreadArguments(command.words, this.calls.at(-1)).flatMap(expandBraces);
    const known = expandCommand({ ...command, words }, this.scope, this.valueOf(operator));
    const [program, format] = known.words;
    const isPrinter =
      program?.text === 'echo' || (program?.text === 'printf' && format?.isDynamic === false);
    return isPrinter
      ? { ...known, words: known.words.map((word, at) => this.#texts(word, words[at])) }
      : known;
  }

  /** Returns the word as unknown text if it is a list of these, of which a program prints all. */
  #texts(word: ShellWord, given: ShellWord | undefined): ShellWord {
    const isUnknown = given !== undefined && elementsOf(given, this.scope) === 'unknown';
    return isUnknown ? { ...word, parts: [{ kind: 'unknown' }] } : word;
  }

  /** Returns the values of a word with its variables; `undefined` if it shows more than the line. */
  valuesOf(word: ShellWord): Values | undefined {
    if (word.parts === undefined) return textValue(word.text);
    if (!isOfLine(word)) return isPrintable(word) ? 'unknown' : undefined;
    const [only, ...others] = word.parts.filter((part) => part.kind !== 'text' || part.text !== '');
    if (only?.kind === 'choice' && others.length === 0) return only.values;
    const texts = wordTexts(word);
    return texts?.every(({ isPattern, below }) => !isPattern && below === undefined) === true
      ? texts.map((each) => ({ kind: 'text', text: each.text }))
      : 'unknown';
  }

  /** Returns a function that returns what a substitution prints. */
  valueOf(operator: string): ValueOf {
    return ({ layout }, isSplit) => {
      const commands = pipelineOf(layout);
      const text = isSplit ? undefined : printedText(commands);
      if (text !== undefined) return textValue(text);
      const values = commands === undefined ? 'unknown' : this.outputOf(commands, operator);
      return values === 'unknown' && isSplit && listsNames(layout) ? undefined : values;
    };
  }

  outputOf(commands: readonly ShellCommand[], operator: string, isNull = false): Values {
    const known = commands.map((command) => this.expand(command, operator));
    const [only] = known;
    const cut = known.length === 1 && only !== undefined ? nameParts(only) : undefined;
    if (cut !== undefined) return cut;
    const at = this.#placeAt(operator);
    const listing = listingOf(known, at);
    return listing?.isNull === isNull ? listing.values : 'unknown';
  }

  /** Returns what the commands of `<(…)` print. */
  outputIn({ parts = [] }: ShellWord, isNull: boolean): Values {
    const [part, ...others] = parts;
    const inner = part?.kind === 'commands' ? pipelineOf(part.layout) : undefined;
    return inner === undefined || others.length > 0 ? 'unknown' : this.outputOf(inner, '', isNull);
  }

  /** Returns the values of the words of a loop. */
  loopWords(words: readonly ShellWord[], operator: string): Values | undefined {
    const all: Values[] = [];
    for (const word of spreadArguments(words, this.calls.at(-1)).flatMap(expandBraces)) {
      const values = isPlainText(word) ? textValue(word.text) : this.#loopWord(word, operator);
      if (values === undefined) return undefined;
      all.push(values);
    }
    const known = all.filter((values) => values !== 'unknown');
    return known.length < all.length ? 'unknown' : joinValues([], known.flat());
  }

  #loopWord(given: ShellWord, operator: string): Values | undefined {
    const elements = elementsOf(given, this.scope);
    if (elements !== undefined) return elements;
    const word = expandWord(given, this.scope, this.valueOf(operator));
    const [part, ...parts] = (word.parts ?? []).filter(isNotEmpty);
    if (parts.length === 0 && part?.kind === 'choice') return part.values;
    if (parts.length === 0 && part?.kind === 'unknown' && !isSplit(given)) return 'unknown';
    const at = this.#placeAt(operator);
    const texts = loopValues(given, at) ?? loopValues(word, at);
    return texts?.map((text) => ({ kind: 'text', text }));
  }

  /** Returns what an argument of a function is; `undefined` if it is not known. */
  argument(word: ShellWord, operator: string): Argument | undefined {
    const { text, isDynamic, isQuoted, parts } = word;
    if (!isDynamic)
      return {
        values: text.startsWith('~') && !isQuoted ? 'unknown' : textValue(text),
        isList: false,
      };
    if (parts !== undefined) {
      const values = this.valuesOf(word);
      return values && { values, isList: isList(word) };
    }
    const values = this.loopWords([word], operator);
    return values && { values, isList: true };
  }
}

/** Returns the character that `printf` alone prints for an escape; `undefined` for other commands. */
function printedText(commands: readonly ShellCommand[] = []): string | undefined {
  const [command, ...others] = commands;
  const [program, format, ...values] = command?.words ?? [];
  const isPlain = command?.redirections.length === 0 && command.assignments.length === 0;
  if (!isPlain || others.length + values.length > 0 || program?.text !== 'printf') return undefined;
  if (format?.isDynamic !== false || program.isDynamic) return undefined;
  return { '\\r': '\r', '\\t': '\t', '\\033': '\u001b' }[format.text];
}

/** Returns true for a word that is the same text in every folder, and no pattern. */
const isPlainText = ({ text, isDynamic, parts }: ShellWord): boolean =>
  !isDynamic && parts === undefined && /^[\w.,:=+%@/-]+$/.test(text);

const isNotEmpty = (part: WordPart): boolean => part.kind !== 'text' || part.text !== '';
