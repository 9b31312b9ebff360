/** Names the untracked files of the user's checkout that a commit of Helios contains. */
import { counted, oneLine } from '../../base/text.ts';
import type { Clock } from '../../base/clock.ts';
import type { Machine } from '../../machines/machine.ts';
import { runGit, scriptStart } from './gitScript.ts';

const limitMs = 10_000;
const maxNames = 500;
const maxShown = 5;

const othersScript = `${scriptStart}cd -- "$1" && common=$(g rev-parse --git-common-dir) &&
common=$(cd -- "$common" && pwd) && case $common in */.git) cd -- "\${common%/.git}" ;; *) exit 0 ;; esac &&
printf '%s\\0' "$PWD" && g ls-files -z --others --exclude-standard | head -c 65536`;
const storedScript = `${scriptStart}cd -- "$1" && commit=$2 && shift 2 && g ls-tree -r -z --name-only "$commit" -- "$@"`;

export interface StoredFiles {
  /** Absolute path of the repository or of one of its worktrees. */
  readonly folder: string;
  readonly commit: string;
  readonly clock: Clock;
}

/**
 * Resolves with the paths, relative to the checkout, of files that git does not track there and that
 * the commit contains; at most a few hundred. Never rejects.
 */
export async function untrackedFiles(
  machine: Machine,
  { folder, commit, clock }: StoredFiles,
): Promise<readonly string[]> {
  const run = async (script: string, ...args: readonly string[]): Promise<string[]> => {
    const text = await runGit({ machine, script, args, clock, timeoutMs: limitMs });
    return Buffer.from(text, 'latin1').toString().split('\0').slice(0, -1);
  };
  try {
    const [top, ...names] = await run(othersScript, folder);
    if (top === undefined || names.length === 0) return [];
    return await run(storedScript, top, commit, ...names.slice(0, maxNames));
  } catch {
    return [];
  }
}

/** Formats the names: `with 1 untracked file: notes.txt`; at most five of them. */
export function untrackedText(names: readonly string[]): string {
  const shown = names.slice(0, maxShown).map((name) => oneLine(name, 80));
  const more = names.length - shown.length;
  return `with ${counted(names.length, 'untracked file')}: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
