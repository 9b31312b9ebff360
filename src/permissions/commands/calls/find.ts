/** Judges `find` and its expression. */
import type { ShellWord } from '../../../shell/shellCommand.ts';
import { eachCall, splitExec, type EachCall } from './eachFile.ts';
import { judgeRead, judgeWrite } from '../paths/operand.ts';
import type { Spot } from '../paths/place.ts';
import { readArguments } from '../readers/options.ts';
import { findRoots } from '../files/findRoots.ts';
import { belowVerdict } from '../files/trees.ts';
import { asks, strictest, type Verdict } from '../verdicts/verdict.ts';

/** The tests and actions of find that only read. */
export const findOptions =
  '-P -L -name= -iname= -path= -ipath= -wholename= -regex= -iregex= -regextype= -type= -xtype= ' +
  '-size= -empty -mtime= -mmin= -ctime= -cmin= -atime= -amin= -newer@ -newermt= -maxdepth= ' +
  '-mindepth= -depth -d -xdev -mount -prune -print -print0 -printf= -ls -perm= -user= -group= ' +
  '-uid= -gid= -nouser -nogroup -links= -inum= -not -and -or -a -o -true -false -quit ' +
  '-readable -writable -executable -samefile@ -warn -nowarn -noleaf -ignore_readdir_race ' +
  '-daystart';
const named = /^-(?:i?name|i?path|wholename|i?regex)$/;

/**
 * Returns the words with the patterns of `find` as texts that the shell does not expand: they are
 * quoted when a line that only reads runs (`asArgumentLists`).
 */
export function withPatterns(words: readonly ShellWord[]): readonly ShellWord[] {
  if (!/^(?:find|nice|ionice|stdbuf|timeout|time)$/.test(words[0]?.text ?? '')) return words;
  const start = words.findIndex(({ text }) => text === 'find');
  const end = words.findIndex(({ text }) => /^-(?:exec|ok)/.test(text));
  return words.map((word, at) => {
    const isInside = start >= 0 && at > start && (end < 0 || at < end);
    return isInside && named.test(words[at - 1]?.text ?? '') && isUnquoted(word)
      ? { ...word, isDynamic: false, isQuoted: true }
      : word;
  });
}

const isUnquoted = ({ text, spelled, isDynamic, parts }: ShellWord): boolean =>
  isDynamic && parts === undefined && text === spelled && /^[^-~{}$`\\][^{}$`\\]*$/.test(text);

const signs = new Set(['(', ')', '!', ',']);

export function judgeFind(
  words: readonly ShellWord[],
  spot: Spot,
  judgeCall: (call: EachCall) => Verdict,
): Verdict {
  const exec = splitExec(words);
  const call = exec && eachCall(exec.words, exec.isList);
  if (exec === undefined || call === undefined) return judgeTests(words, spot);
  if (words.some(({ text }) => text === '-L'))
    return asks('reads the files to which links lead', spot.part);
  // A root of `find` may be a file, so its content may be read, not only its name.
  const roots = findRoots(exec.others).map((word) => judgeRead(word, spot));
  return strictest([judgeTests(exec.others, spot), judgeCall(call), ...roots]);
}

function judgeTests(rest: readonly ShellWord[], spot: Spot): Verdict {
  // `find` treats what follows `--` as a part of its expression, too, so `--` is not allowed.
  const unclear = rest.find(({ text }, at) => text === '--' || (text === '-L' && at > 0));
  const call = unclear?.text ?? readArguments(rest, findOptions);
  if (typeof call === 'string')
    return strictest([unknownOption(call, spot), ...writeVerdicts(rest, spot)]);
  const folders = call.operands.filter(({ text }) => !signs.has(text));
  const follows = call.names.has('-L');
  return strictest([
    ...folders.map((word) => judgeRead(word, spot, 'names')),
    ...(follows ? folders.map(({ text }) => belowVerdict({ folder: text }, false, spot)) : []),
    ...call.paths.map((word) => judgeRead(word, spot, 'names')),
  ]);
}

function unknownOption(option: string, { part }: Spot): Verdict {
  if (option === '-delete') return asks('removes files', part);
  return /^-(?:exec|execdir|ok|okdir)$/.test(option)
    ? asks('runs a command for each file', part)
    : asks(`${option} is not known to be harmless`, part);
}

/** Returns the verdicts on the files that `find` writes with `-fprint` and similar actions. */
const writeVerdicts = (rest: readonly ShellWord[], spot: Spot): readonly Verdict[] =>
  rest.flatMap((word, index) =>
    /^-f(?:print0?|printf|ls)$/.test(rest[index - 1]?.text ?? '') ? [judgeWrite(word, spot)] : [],
  );
