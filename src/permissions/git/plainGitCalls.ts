/** Finds the calls of git in a command whose folder and arguments are known before it runs. */
import { posix } from 'node:path';
import { parseShell } from '../../shell/parseShell.ts';

export interface PlainGitCall {
  /** Absolute path of the folder in which git is called. */
  readonly folder: string;
  readonly args: readonly string[];
}

/**
 * Returns the calls of git whose folder and arguments no earlier command can change. `start` is the
 * absolute path of the folder in which the command starts.
 */
export function plainGitCalls(text: string, start: string): readonly PlainGitCall[] {
  const shell = parseShell(text);
  const calls: PlainGitCall[] = [];
  let folder = start;
  for (const { words, assignments, operator } of shell?.isFlat === true ? shell.commands : []) {
    const [name = '', ...args] = words.map((word) => word.text);
    const isPlain =
      assignments.length === 0 &&
      !words.some((word) => word.isDynamic || (!word.isQuoted && word.text.startsWith('~')));
    if (operator === '||' || (!isPlain && !isHarmless(name))) break;
    if (name === 'cd' && args.length === 1) folder = posix.resolve(folder, args[0] ?? '');
    else if (decides(name, args)) break;
    else if (name === 'git') calls.push({ folder, args });
  }
  return calls;
}

const isHarmless = (name: string): boolean =>
  /^(?:echo|printf|ls|cat|test|\[|python3?)$/.test(name);

/**
 * Returns true for a command after which later calls are uncertain: it may end the line, change the
 * folder or create a repository.
 */
const decides = (name: string, args: readonly string[]): boolean =>
  /^(?:cd|pushd|popd|exit|return|exec|eval|source|\.)$/.test(name) ||
  (name === 'git' && args.some((each) => /^(?:init|clone|worktree)$/.test(each)));
