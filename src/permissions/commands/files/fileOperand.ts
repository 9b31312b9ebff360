/** Judges words that may name any file below a folder. */
import type { ShellWord } from '../../../shell/shellCommand.ts';
import { judgeRead, type Reading } from '../paths/operand.ts';
import type { Spot } from '../paths/place.ts';
import { wordTexts, hasChoice } from '../values/possibleTexts.ts';
import { belowVerdict } from './trees.ts';
import { safe, strictest, type Verdict } from '../verdicts/verdict.ts';

/** Returns the verdict on reading what a word names, also if it may be any file below a folder. */
export function judgeFile(word: ShellWord, spot: Spot, reading: Reading = 'content'): Verdict {
  const read = judgeRead(word, spot, reading);
  if (!hasChoice(word)) return read;
  const folders = (wordTexts(word) ?? []).flatMap(({ below }) => below ?? []);
  const prints = reading === 'content' && spot.isSilent !== true;
  const verdicts = folders.map((below) => belowVerdict(below, prints, spot));
  return verdicts.length === 0 ? read : strictest([read, ...verdicts, safe]);
}
