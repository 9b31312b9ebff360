/** Whether two states of code differ in more than comments and empty space. */
import type { Machine } from '../machines/machine.ts';
import { shellQuote } from '../base/text.ts';

const limitMs = 5_000;

/**
 * True when every line that differs is empty or a comment. False where that is not so, too long to tell, or cannot be asked;
 * never rejects. Indentation counts: in Python it means something.
 */
export async function differsInWordsOnly(
  machine: Machine,
  repo: string,
  trees: readonly [string, string],
): Promise<boolean> {
  const options = '--no-ext-diff --no-textconv --no-color --no-renames --ignore-space-at-eol --ignore-blank-lines -U0';
  const command = `git -c core.fsmonitor=false diff-tree -r -p ${options} ${trees.map(shellQuote).join(' ')}`;
  try {
    const { outcome, stdout, omittedBytes } = await machine.exec(command, { cwd: repo, timeoutMs: limitMs });
    const isWhole = outcome.kind === 'exited' && outcome.code === 0 && omittedBytes.stdout === 0;
    return isWhole && isWordsOnly(stdout);
  } catch {
    // A machine that does not answer now says so when the run is launched.
    return false;
  }
}

const markers: readonly (readonly [RegExp, RegExp])[] = [
  [/\.(?:py|sh|bash|ya?ml|toml|r|jl|rb|pl|cfg|conf|mk)$|(?:^|\/)Makefile$/i, /^\s*#(?!!|SBATCH|PBS|\s*type:)/],
  [/\.(?:c|cc|cpp|cu|cuh|h|hpp|js|ts|jsx|tsx|mjs|java|rs|go|scala|swift|kt)$/i, /^\s*(?:\/\/|\/\*[^*]*\*\/\s*$)/],
  [/\.(?:lua|sql|hs)$/i, /^\s*--/],
  [/\.(?:md|rst|txt)$|(?:^|\/)(?:LICENSE|README)[^/]*$/i, /^/],
];

/** `diff`: what `git diff-tree -p` writes. Files that came, went, or are no text count as a difference. */
export function isWordsOnly(diff: string): boolean {
  let comment: RegExp | undefined;
  let isBody = false;
  for (const line of diff.split('\n')) {
    if (line.startsWith('diff --git ')) {
      const name = / b\/(.*)$/.exec(line)?.[1] ?? '';
      comment = markers.find(([file]) => file.test(name))?.[1];
      isBody = false;
    } else if (line.startsWith('@@')) isBody = true;
    else if (isBody ? !isHarmless(line, comment) : special.test(line)) return false;
  }
  return true;
}

const special = /^(?:Binary files|GIT binary|new file|deleted file|old mode|new mode|Submodule)/;

const isHarmless = (line: string, comment: RegExp | undefined): boolean =>
  !/^[+-]/.test(line) || line.slice(1).trim() === '' || (comment?.test(line.slice(1)) ?? false);
