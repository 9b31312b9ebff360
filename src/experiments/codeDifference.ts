/**
 * Compares two states of code by what can affect a run: ignores comments, empty lines,
 * documentation and files that runs left behind.
 */
import path from 'node:path';
import type { Clock } from '../base/clock.ts';
import { counted } from '../base/text.ts';
import type { Machine } from '../machines/machine.ts';
import { commandForm } from './commandForm.ts';
import { comparePart, runGit, scriptStart } from './git/gitScript.ts';

const limitMs = 5_000;
const maxBytes = 512 * 1024;

export interface ComparedCode {
  /** Absolute path of a worktree of the repository that contains the trees. */
  readonly repo: string;
  readonly tree: string;
  /** Trees to compare with `tree`, in order of preference. */
  readonly others: readonly string[];
  /** The commands of the run. A file that they name is never treated as an output of a run. */
  readonly commands: readonly string[];
  readonly clock: Clock;
  /** Output of `compare_trees` about these trees (latin1), if it is known. */
  readonly differences?: string | undefined;
}

/**
 * Resolves with the first of `others` whose differences from `tree` cannot affect a run. Resolves
 * with `undefined` if there is none, if the difference is too long, or if the machine does not
 * answer. Runs only one command on the machine, for any number of trees. Never rejects.
 */
export async function sameCode(
  machine: Machine,
  { repo, tree, others, commands, clock, differences }: ComparedCode,
): Promise<string | undefined> {
  if (others.length === 0 || others.includes(tree)) return others.find((other) => other === tree);
  // Git repeats a line that is no pair of trees, as if they did not differ.
  const trees = others.filter((other) => /^[0-9a-f]{40,64}$/.test(other));
  const pairs = trees.map((other) => `${other} ${tree}\n`);
  const args = [repo, pairs.join('')];
  try {
    const text =
      differences ??
      (await runGit({ machine, script: compareScript, args, clock, timeoutMs: limitMs }));
    if (text.length > maxBytes) return undefined;
    const named = namedFiles(commands);
    const diffs = differencesIn(Buffer.from(text, 'latin1').toString());
    return trees.find((_, index) => {
      const diff = diffs.get(pairs[index] ?? '');
      return diff !== undefined && isSame(diff, named);
    });
  } catch {
    // Ignore the error: if the machine does not answer, the launch of the run reports that.
    return undefined;
  }
}

/**
 * Counts the lines in which the code differs from each of the compared trees. `differences`: output
 * of `compare_trees` (latin1). A tree of another repository is omitted.
 */
export const differingLines = (differences: string): ReadonlyMap<string, number> =>
  new Map(
    [...differencesIn(differences)].flatMap(([pair, diff]): [string, number][] => {
      const [tree = ''] = pair.split(' ');
      const lines = diff.match(/^(?:[+-](?!\+\+ |-- )|Binary files )/gm)?.length ?? 0;
      return tree === '' ? [] : [[tree, lines]];
    }),
  );

const maxShown = 3;
const countScript = `${scriptStart}cd -- "$1" && g diff-tree -r --no-renames --numstat "$2" "$3"`;

/** Two states of code in a repository, given by their trees. */
export interface ChangedCode {
  /** Absolute path of a worktree of the repository that contains the trees. */
  readonly repo: string;
  readonly before: string;
  readonly tree: string;
  readonly clock: Clock;
}

/**
 * Resolves with the changed files and how many lines of each changed: `train.py, 10 lines`. Resolves
 * with `undefined` if that is not known. Never rejects.
 */
export async function changedLines(
  machine: Machine,
  { repo, before, tree, clock }: ChangedCode,
): Promise<string | undefined> {
  const args = [repo, before, tree];
  try {
    const text = await runGit({ machine, script: countScript, args, clock, timeoutMs: limitMs });
    const files = [...text.matchAll(/^(\d+|-)\t(\d+|-)\t(.+)$/gm)].map(
      ([, added = '', removed = '', name = '']) => {
        const lines = Math.max(Number(added), Number(removed));
        return Number.isNaN(lines) ? name : `${name}, ${counted(lines, 'line')}`;
      },
    );
    const more = files.length - maxShown;
    const shown = [...files.slice(0, maxShown), ...(more > 0 ? [`${more} more`] : [])];
    return shown.length === 0 ? undefined : shown.join('; ');
  } catch {
    return undefined;
  }
}

const compareScript = `${scriptStart}${comparePart}cd -- "$1" && printf %s "$2" | compare_trees`;

/**
 * Parses the output of `git diff-tree --stdin`: line with two trees → the difference. A missing tree
 * has no such line, and no line of a difference looks like one.
 */
const differencesIn = (output: string): ReadonlyMap<string, string> =>
  new Map(
    output.split(/^(?=[0-9a-f]{40,64} [0-9a-f]{40,64}$)/m).map((part) => {
      const start = part.indexOf('\n') + 1;
      return [part.slice(0, start), part.slice(start)];
    }),
  );

const markers: readonly (readonly [RegExp, RegExp])[] = [
  [
    /\.(?:py|sh|bash|ya?ml|toml|r|jl|rb|pl|cfg|conf|mk)$|(?:^|\/)Makefile$/i,
    /^\s*#(?!!|SBATCH|PBS|\s*type:)/,
  ],
  [
    /\.(?:c|cc|cpp|cu|cuh|h|hpp|js|ts|jsx|tsx|mjs|java|rs|go|scala|swift|kt)$/i,
    /^\s*(?:\/\/|\/\*[^*]*\*\/\s*$)/,
  ],
  [/\.(?:lua|sql|hs)$/i, /^\s*--/],
  [/\.(?:md|rst)$|(?:^|\/)(?:LICENSE|README)[^/]*$/i, /^/],
];
const codeFile =
  /\.(?:py|pyx|ipynb|sh|bash|r|jl|rb|pl|c|cc|cpp|cu|cuh|h|hpp|js|ts|mjs|java|rs|go|scala|swift|kt|lua|sql|hs|ya?ml|toml|json|cfg|ini|conf|mk|env|lock)$|(?:^|\/)(?:Makefile|Dockerfile|requirements[^/]*\.txt)$/i;
export const isCodeFile = (file: string): boolean => codeFile.test(file);
const leftBehind =
  /(?:^|\/)(?:__pycache__|wandb|mlruns|runs|logs?|outs?|outputs?|results?|checkpoints?|ckpts?|lightning_logs|tensorboard|\.ipynb_checkpoints)\/|\.(?:log|out|err|pyc|pt|pth|ckpt|safetensors)$|(?:^|\/)(?:results\.tsv|nohup\.out|run\.log|events\.out\.tfevents[^/]*)$/i;

/** Returns whether a new file is an output of a run: neither code nor named by a command. */
export const isLeftBehind = (file: string, named: ReadonlySet<string>): boolean =>
  leftBehind.test(file) && !named.has(path.posix.basename(file));

/** Returns the file names (without folders) of all paths in the commands, except output paths. */
export const namedFiles = (commands: readonly string[]): ReadonlySet<string> =>
  new Set(commands.flatMap(wordsOf).map((word) => path.posix.basename(word)));

const wordsOf = (command: string): string[] =>
  commandForm(command)
    .exact.split(/["'=,\s:;()]+/)
    .filter(Boolean);

const maxFiles = 40;

/**
 * Returns the paths of code and settings files that the commands name: only relative paths inside
 * the folder in which the commands run, and at most 40.
 */
export const codeFilesOf = (commands: readonly string[]): readonly string[] =>
  [...new Set(commands.flatMap(wordsOf))]
    .map((word) => path.posix.normalize(word))
    .filter(
      (word) =>
        codeFile.test(word) &&
        !word.startsWith('/') &&
        !word.startsWith('..') &&
        !/[\n*?[]/.test(word),
    )
    .slice(0, maxFiles);

/**
 * Returns whether all changes in a diff cannot affect a run. `diff` is the output of `git diff-tree
 * -p`.
 */
function isSame(diff: string, named: ReadonlySet<string>): boolean {
  return diff
    .split(/^(?=diff --git )/m)
    .filter((part) => part !== '')
    .every((part) => isHarmlessFile(part, named));
}

/**
 * Returns whether the change of one file cannot affect a run. True in two cases: the file is an
 * output of a run (a log, a checkpoint, or any new file that is not code) and no command names it;
 * or only comments, empty lines or documentation have changed.
 */
function isHarmlessFile(part: string, named: ReadonlySet<string>): boolean {
  const [head = '', ...lines] = part.split('\n');
  const name = / b\/(.*)$/.exec(head)?.[1] ?? '';
  if (name === '' || head.startsWith('diff --git "')) return false;
  const body = lines.findIndex((line) => line.startsWith('@@'));
  const facts = body < 0 ? lines : lines.slice(0, body);
  const isNew = facts.some((line) => line.startsWith('new file'));
  const isOutput = !codeFile.test(name) && (isNew || leftBehind.test(name));
  if (isOutput && !named.has(path.posix.basename(name))) return true;
  if (facts.some((line) => special.test(line)) || body < 0) return false;
  const comment = markers.find(([file]) => file.test(name))?.[1];
  return lines.slice(body).every((line) => isHarmlessLine(line, comment));
}

const special = /^(?:Binary files|GIT binary|new file|deleted file|old mode|new mode)/;

const isHarmlessLine = (line: string, comment: RegExp | undefined): boolean =>
  !/^[+-]/.test(line) || line.slice(1).trim() === '' || (comment?.test(line.slice(1)) ?? false);
