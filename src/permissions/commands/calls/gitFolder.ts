/** Finds the folder in which `git -C FOLDER` works. */
import type { ShellCommand } from '../../../shell/shellCommand.ts';
import { judgeRead, pathsOf } from '../paths/operand.ts';
import type { Spot } from '../paths/place.ts';
import { isSilent } from '../files/trees.ts';
import { asks, type Verdict } from '../verdicts/verdict.ts';

/** The call of git without `-C`, to be judged in the folder that `-C` names. */
export interface GitCall {
  readonly command: ShellCommand;
  readonly spot: Spot;
  /** Verdict on entering the folder. */
  readonly entry: Verdict;
}

/** Returns the call of git in the folder that its first `-C` names; `undefined` for other calls. */
export function gitCallIn(command: ShellCommand, spot: Spot): GitCall | undefined {
  const [program, ...rest] = command.words;
  const at = rest.findIndex(({ text }) => !/^(?:-P|--no-pager)$/.test(text));
  const [option, folder] = [rest[at], rest[at + 1]];
  const isCall = program?.text === 'git' && option?.text === '-C' && !option.isDynamic;
  if (!isCall || folder === undefined || folder.text.startsWith('-')) return undefined;
  const folders = pathsOf(folder, spot);
  const words = [program, ...rest.slice(0, at), ...rest.slice(at + 2)];
  const { isSilent: _outer, ...outer } = spot;
  const isQuiet = isSilent('git', words.slice(at + 1));
  return {
    command: { ...command, words },
    spot: { ...outer, folders: folders ?? [], ...(isQuiet && { isSilent: true }) },
    entry:
      folders?.length === 1
        ? judgeRead(folder, spot, 'names')
        : asks('works in an unclear folder', spot.part),
  };
}
