/** Judges the calls of programs that only read. */
import type { ShellCommand, ShellWord } from '../../../shell/shellCommand.ts';
import { programOf } from '../../../shell/wrappers.ts';
import { usualPaths } from '../../pathRules.ts';
import { printsAll, readsOnlyOperands, type EachCall } from './eachFile.ts';
import { judgeFile } from '../files/fileOperand.ts';
import { isPatternWithSets, judgeRead, judgeWrite } from '../paths/operand.ts';
import { readArguments, type Arguments } from '../readers/options.ts';
import type { Spot } from '../paths/place.ts';
import { plainVariable } from '../values/plainVariables.ts';
import {
  hasChoice,
  isList,
  isNumber,
  isPrintable,
  scriptTexts,
  wordTexts,
} from '../values/possibleTexts.ts';
import { readerOf } from '../readers/allReaders.ts';
import type { Reader } from '../readers/reader.ts';
import { asks, isFirm, safe, strictest, type Verdict } from '../verdicts/verdict.ts';

/** Returns a program that only reads, and its arguments; `undefined` for others. */
export function asReader(
  name: string,
  rest: readonly ShellWord[],
): { readonly reader: Reader; readonly rest: readonly ShellWord[] } | undefined {
  const reader = readerOf(name);
  const [first] = rest;
  // The options of tar may come without a dash, as in `tar tf FILE`.
  const isBare = name === 'tar' && first !== undefined && /^[tvzjJaxO]*f$/.test(first.text);
  const words = isBare ? [{ ...first, text: `-${first.text}` }, ...rest.slice(1)] : rest;
  return reader && { reader, rest: name === 'lsof' ? words.filter(isNoMark) : words };
}

/** Returns false for the `+D` of `lsof` before a folder. */
const isNoMark = ({ text }: ShellWord, at: number, all: readonly ShellWord[]): boolean =>
  !/^\+[dD]$/.test(text) ||
  !/^[\w./]/.test(all[at + 1]?.text ?? '') ||
  !all.slice(0, at).every((before) => /^-[tnPwaU]+$/.test(before.text));

export function judgeReader(each: EachCall, spot: Spot): Verdict {
  const { name, reader, rest } = each;
  const isGit = name === 'git';
  const call = readArguments(printArguments(name, rest), reader.options);
  if (typeof call === 'string') return mayWrite(whyOption(name, call), rest, spot);
  const problem = callProblem(each, call);
  if (problem !== undefined) return mayWrite(problem, rest, spot);
  const { operands, paths } = call;
  const reads = paths.map((word) => judgeFile(word, spot));
  if (isGit && call.names.has('--no-index'))
    return strictest([...reads, ...operands.map((word) => judgeFile(word, spot))]);
  if (reader.operands === 'text')
    return strictest([
      ...reads,
      ...operands.map((word) =>
        reader.printsOperands === true ? judgePrinted(word, spot) : judgeWord(word, spot, isGit),
      ),
    ]);
  const isScript = reader.operands === 'script' && !givesScript(reader, call);
  const script = isScript ? operands.slice(0, 1) : [];
  const files = isScript ? operands.slice(1) : operands;
  const reading = name === 'readlink' ? 'link' : reader.operands === 'names' ? 'names' : 'content';
  return strictest([
    ...reads,
    ...script.map((word) => judgeScript(word, reader, spot)),
    ...files.filter(({ text }) => text !== '-').map((word) => judgeFile(word, spot, reading)),
  ]);
}

/** Returns what an option does that no reader has; a program may be known to write by it. */
const whyOption = (name: string, option: string): string => {
  if (name === 'sed' && /^-[a-zA-Z]*i|^--in-place/.test(option))
    return `changes its files (${option})`;
  if (name === 'sort' && /^(?:-o|--output)/.test(option)) return `writes a file (${option})`;
  return `${option} is not known to be harmless`;
};

const givesScript = ({ scriptOptions = [] }: Reader, { names }: Arguments): boolean =>
  scriptOptions.some((option) => names.has(option));

/** Returns why a call may do more than read the files that it names. */
function callProblem(
  { name, reader, rest, isNamed }: EachCall,
  call: Arguments,
): string | undefined {
  const isGit = name === 'git';
  const isSpread =
    rest.some((word) => isList(word) && !isNumber(word)) &&
    !isGit &&
    isNamed !== true &&
    !printsAll(name, rest) &&
    !readsOnlyOperands(name, reader, rest);
  const problems = scriptCalls(reader, call).map((each) => reader.problem?.(each, rest));
  return (
    problems.find((problem) => problem !== undefined) ??
    unknownScript(reader, call) ??
    valueProblem(call, isGit) ??
    (isSpread ? `${name} may read more than the listed names` : undefined)
  );
}

/** Returns a call for each text that the script of a call may be, if they are known. */
function scriptCalls(reader: Reader, call: Arguments): readonly Arguments[] {
  const [script, ...files] = call.operands;
  const isScript = reader.operands === 'script' && !givesScript(reader, call);
  const texts = isScript && script && hasChoice(script) ? scriptTexts(script) : undefined;
  return (
    texts?.map((text) => ({
      ...call,
      operands: [{ text, spelled: text, isDynamic: false, isQuoted: true }, ...files],
    })) ?? [call]
  );
}

/** Returns a problem if an option gives a script that is not known to a program that runs it. */
const unknownScript = (
  { problem, scriptOptions = [] }: Reader,
  { unknown }: Arguments,
): string | undefined =>
  problem !== undefined && scriptOptions.some((option) => unknown.has(option))
    ? 'has a script that only the shell knows'
    : undefined;

/** Returns the words with those as texts that `echo` or `printf` would not read as options. */
function printArguments(name: string, rest: readonly ShellWord[]): readonly ShellWord[] {
  if (name === 'echo') return rest.map(asText);
  const [format] = rest;
  const isFormat = format?.isDynamic === false && !format.text.startsWith('-');
  return name === 'printf' && isFormat ? rest.map(asOperand) : rest;
}

const asOperand = (word: ShellWord): ShellWord =>
  !word.isDynamic && word.text.startsWith('-') ? { ...word, text: ` ${word.text}` } : word;

/** Returns the word as a text: `echo` reads nothing with a blank as an option. */
const asText = (word: ShellWord): ShellWord =>
  /^-.*\s/s.test(word.text) ? { ...word, text: ` ${word.text}` } : word;

/** Judges what is only printed; a pattern stands for the names of files. */
function judgePrinted(word: ShellWord, spot: Spot): Verdict {
  if (isPrintable(word)) return safe;
  const isPattern = word.isDynamic && word.parts === undefined && word.text === word.spelled;
  return isPattern ? judgeRead(word, spot, 'names') : judgeWord(word, spot, false);
}

/**
 * Returns true for an unquoted word with `[…]`, such as `[t]rain`, which is quoted when a line that
 * only reads runs (`asArgumentLists`).
 */
const isSet = ({ text, spelled, isDynamic, parts }: ShellWord): boolean =>
  isDynamic &&
  parts === undefined &&
  text === spelled &&
  !isPatternWithSets(text) &&
  /^[^-~*?{}$`\\][^*?{}$`\\]*$/.test(text);

/** Judges a pattern or script. A program that runs the script has judged each of its texts. */
function judgeScript(word: ShellWord, { problem }: Reader, spot: Spot): Verdict {
  if (problem === undefined && isSet(word) && spot.place.consent === undefined) return safe;
  if (!hasChoice(word)) return judgeWord(word, spot, false);
  const isKnown = problem === undefined ? isPrintable(word) : scriptTexts(word) !== undefined;
  return isKnown && !isList(word)
    ? safe
    : asks('has a script that only the shell knows', spot.part);
}

/**
 * Returns the verdict on a call that may write: asks, or refuses if one of the files may be written
 * by no command.
 */
function mayWrite(reason: string, rest: readonly ShellWord[], spot: Spot): Verdict {
  const files = rest.flatMap((word) => {
    const value = /^--?[\w-]+=(.+)$/s.exec(word.text)?.[1];
    if (value !== undefined) return [{ ...word, text: value, spelled: value }];
    return programOf(word) === '' || spot.part.startsWith('git ') ? [] : [word];
  });
  const firm = files.map((word) => judgeWrite(word, spot)).filter(isFirm);
  return strictest([asks(reason, spot.part), ...firm]);
}

/** The options of git whose value is only a text or a time to search for. */
const textOptions = /^(?:-[SGn]|--(?:author|committer|grep|since|until|after|before|max-count))$/;
/** The formats of commits that git defines. */
const gitFormats = /^(?:oneline|short|medium|full|fuller|reference|email|raw|mboxrd)?$/;

/**
 * Returns why a command with this option value may do more than read, as the rest of a sentence;
 * `undefined` if it only reads.
 */
function valueProblem({ values, unknown }: Arguments, isGit: boolean): string | undefined {
  if (isGit && ![...unknown].every((name) => textOptions.test(name)))
    return 'uses a value that only the shell knows';
  const all = [...values.values()].flat();
  if (isGit && all.some((value) => /%[-+ ]?G|signature/.test(value)))
    return 'runs the program for signatures';
  const formats = isGit ? ['--format', '--pretty'].flatMap((name) => values.get(name) ?? []) : [];
  if (formats.some((value) => /^\w+$/.test(value) && !gitFormats.test(value)))
    return 'uses a format that the repository defines';
  const globs = ['--include', '-g', '--glob', '--iglob'];
  const files = globs.flatMap((name) => (unknown.has(name) ? '.*' : (values.get(name) ?? [])));
  return files.some((value) => usualPaths.isPrivate(`/${value}`) || /^\.[^/]*[*?[]/.test(value))
    ? 'reads a file that may hold secrets'
    : undefined;
}

/** Judges an operand that is not a path, or that is a path or commit of a git repository. */
function judgeWord(word: ShellWord, spot: Spot, isGit: boolean): Verdict {
  if (!isGit && plainVariable(word) !== undefined) return safe;
  if (hasChoice(word)) return judgeChoice(word, spot, isGit);
  if (word.isDynamic) return asks('has a part that only the shell knows', spot.part);
  if (!isGit) return safe;
  const path = `/${word.text.slice(word.text.indexOf(':') + 1)}`;
  return usualPaths.isPrivate(path) || /\/\.[^/]*[*?[]/.test(path)
    ? asks('reads a file that may hold secrets', spot.part)
    : judgeRead(word, spot, 'names');
}

/** Judges each text that the word may be. A number or hash is as harmless as any other. */
function judgeChoice(word: ShellWord, spot: Spot, isGit: boolean): Verdict {
  const choices = wordTexts(word);
  if (choices === undefined) return asks('has a part that only the shell knows', spot.part);
  const isBelow = choices.some(({ below }) => below !== undefined);
  if (isBelow)
    return isGit ? judgeFile(word, spot) : asks('has a part that only the shell knows', spot.part);
  const texts = new Set(choices.map(({ text }) => text.replaceAll('*', '1')));
  const words = [...texts].map((text) => ({ ...word, text, spelled: text, isDynamic: false }));
  return strictest(words.map(({ parts: _parts, ...each }) => judgeWord(each, spot, isGit)));
}

export function judgeRedirection(
  { sign, target }: ShellCommand['redirections'][number],
  spot: Spot,
): Verdict {
  if (!target.isDynamic && /^(?:\d*[<>]&|[<>]&)$/.test(sign) && /^(?:\d+|-)$/.test(target.text))
    return safe;
  if (sign.endsWith('<&')) return asks('reads from what may be no open file', spot.part);
  if (!sign.includes('>')) return judgeFile(target, spot);
  return !target.isDynamic && target.text === '/dev/null' ? safe : judgeWrite(target, spot);
}
