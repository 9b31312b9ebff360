/** Finds the words that a program that reads may take for options: these can make it write or run. */
import type { ShellCommand, ShellWord } from '../../shell/shellCommand.ts';
import { programOf } from '../../shell/wrappers.ts';
import { splitExec } from '../commands/calls/eachFile.ts';
import { findOptions } from '../commands/calls/find.ts';
import { pathsOf } from '../commands/paths/operand.ts';
import { readerOf } from '../commands/readers/allReaders.ts';
import { readArguments, type OptionList } from '../commands/readers/options.ts';
import type { Step } from './step.ts';

/** Programs that only read, whatever their options. */
const harmless =
  /^(?:cat|tac|head|tail|wc|cut|paste|comm|join|cmp|diff|nl|od|fold|fmt|rev|tr|ls|stat|du|df|basename|dirname|realpath|readlink|[ef]?grep|md5sum|sha\d+sum|echo|seq|expr|test|\[|jq)$/;
/** Programs of which no word after the first operand is an option. */
const endsAtOperand = /^(?:[gm]?awk|printf)$/;

/** Returns the options of a program that reads; `undefined` for others. */
function optionsOf(name: string): OptionList | undefined {
  if (name === 'find') return findOptions;
  return readerOf(/^[gm]awk$/.test(name) ? 'awk' : name)?.options;
}

/** Returns true for a program that reads and that an option may make do more. */
const obeysOptions = (name: string): boolean =>
  optionsOf(name) !== undefined && !harmless.test(name);

/** Returns a word that the program may take for an option that is not known. */
export function possibleOption(command: ShellCommand, step: Step): ShellWord | undefined {
  const [program, ...all] = command.words;
  const name = programOf(program);
  const options = optionsOf(name);
  if (options === undefined || !obeysOptions(name)) return undefined;
  const words = name === 'find' ? (splitExec(all)?.others ?? all) : all;
  const end = name === 'find' ? -1 : words.findIndex(isEnd);
  const given = new Map<ShellWord, ShellWord>();
  const known = words.slice(0, end < 0 ? words.length : end).map((word) => {
    const each = withMark(word, step);
    if (each.text !== plain.text && each !== word) given.set(each, word);
    return each;
  });
  const call = readArguments(known, options);
  // A `--` may be the value of the option before it, and then ends nothing.
  if (typeof call === 'string')
    return [...given.values()][0] ?? words.slice(known.length).find((word) => word.isDynamic);
  const operands = endsAtOperand.test(name) ? call.operands.slice(0, 1) : call.operands;
  const operand = operands.find((word) => given.has(word));
  return operand && given.get(operand);
}

const isEnd = ({ text, isDynamic }: ShellWord): boolean => text === '--' && !isDynamic;

/** A character that no option has. */
const mark = '\u0001';
const plain: ShellWord = { text: 'x', spelled: 'x', isDynamic: false, isQuoted: true };

/**
 * Returns the word with a mark in place of a value that may begin with a dash. Words that cannot
 * become an option become a plain text.
 */
function withMark(word: ShellWord, step: Step): ShellWord {
  if (!word.isDynamic) return word;
  const texts = step.variables.resolve(word)?.map(({ text }) => text);
  const dashed = texts?.find((text) => text.startsWith('-'));
  if (texts !== undefined && dashed === undefined)
    return isClear(word, texts, step) ? plain : { ...plain, text: mark };
  const text = texts?.length === 1 ? (dashed ?? '') : startOf(word) + mark;
  return /^[-\u0001]/.test(text) ? { ...plain, text } : plain;
}

/** Returns the fixed text with which a word begins. */
function startOf({ text, parts }: ShellWord): string {
  if (parts === undefined) return /^[^*?[{$`~\\]+/.exec(text)?.[0] ?? '';
  const first = parts.find((part) => part.kind !== 'text' || part.text !== '');
  return first?.kind === 'text' ? first.text : '';
}

/** Returns false for a pattern that may match a file whose name begins with a dash. */
const isClear = (word: ShellWord, texts: readonly string[], { spot }: Step): boolean =>
  word.parts !== undefined ||
  !texts.some((text) => /^[*?[]/.test(text)) ||
  pathsOf(word, spot) !== undefined;
