/** Computes what `basename` and `dirname` print of known paths. */
import { posix } from 'node:path';
import type { ShellCommand, ShellWord } from '../../../shell/shellCommand.ts';
import { wordTexts, mayBeOption } from './possibleTexts.ts';
import type { Values } from './variables.ts';
import { foldersOf, namesIn } from './expansionOperators.ts';

/** Returns what `basename` and `dirname` print of known names; `undefined` for other commands. */
export function nameParts({ words, assignments, redirections }: ShellCommand): Values | undefined {
  const [program, name, suffix, ...others] = words;
  const isPlain = assignments.length + redirections.length + others.length === 0;
  if (!isPlain || !isFixed(suffix) || name === undefined || name.text.startsWith('-'))
    return undefined;
  const isCut = program?.text === 'basename';
  if (!isCut && (program?.text !== 'dirname' || suffix !== undefined)) return undefined;
  const cut = cutBelow(name, isCut);
  if (cut !== undefined) return suffix === undefined ? cut : 'unknown';
  return cutTexts(name, isCut ? (suffix?.text ?? '') : undefined);
}

const isFixed = (suffix: ShellWord | undefined): boolean =>
  suffix === undefined || (!suffix.isDynamic && !suffix.text.startsWith('-'));

/** Returns the names of known paths without a suffix, or their folders if there is none. */
function cutTexts(name: ShellWord, suffix: string | undefined): Values | undefined {
  const plainName = [{ text: name.text, isPattern: name.isDynamic }];
  const texts = name.parts === undefined ? plainName : wordTexts(name);
  if (!texts?.every((each) => !each.isPattern && !('below' in each))) return undefined;
  return texts.map(({ text }) => ({
    kind: 'text',
    text: suffix === undefined ? posix.dirname(text) : baseName(text, suffix),
  }));
}

/** Returns what `basename` prints, which of a name that is the suffix cuts nothing. */
function baseName(path: string, suffix: string): string {
  const name = posix.basename(path) || path.slice(0, 1);
  const isCut = suffix !== '' && name !== suffix && name.endsWith(suffix);
  return isCut ? name.slice(0, -suffix.length) : name;
}

/** Returns the names or folders of found files, if the word names only these. */
function cutBelow(word: ShellWord, isName: boolean): Values | undefined {
  const [part, ...parts] = (word.parts ?? []).filter(
    (each) => each.kind !== 'text' || each.text !== '',
  );
  if (part?.kind !== 'choice' || parts.length > 0) return undefined;
  const paths = part.values.filter((each) => each.kind === 'below');
  if (paths.length === 0 || paths.length < part.values.length) return undefined;
  if (mayBeOption(word)) return 'unknown';
  return isName ? namesIn(paths) : foldersOf(paths);
}
