/** Compares two states of the code. */
import type { Clock } from '../../base/clock.ts';
import { shellText } from '../../base/shellText.ts';
import { runGit, scriptStart } from './gitScript.ts';
import type { RepoPlace } from './worktrees.ts';

export interface CodeDiff {
  readonly commitA: string;
  readonly commitB: string;
  readonly isEqual: boolean;
  /** Changed files with line counts; limited in length. */
  readonly stat: string;
  /** The patch, truncated to `maxBytes`. */
  readonly patch: string;
  /** Size of the complete patch, in bytes. */
  readonly patchBytes: number;
}

const statBytes = 6_000;

const script = `${scriptStart}${shellText('./codeDiff.sh', import.meta.url)}`;

/**
 * Compares the revisions `a` and `b`, as returned by `Worktrees.resolve`. Rejects with
 * `GitFailure`.
 */
export async function codeDiff(
  { machine, folder, signal }: RepoPlace,
  request: {
    readonly a: string;
    readonly b: string;
    readonly maxBytes: number;
    readonly clock: Clock;
  },
): Promise<CodeDiff> {
  const { a, b, maxBytes, clock } = request;
  const args = [folder, a, b, String(statBytes), String(maxBytes)];
  const output = await runGit({
    machine,
    script,
    args,
    clock,
    timeoutMs: 60_000,
    ...(signal && { signal }),
  });
  const [commitA = '', commitB = '', stat = '', patch = '', bytes] = output.split('\0');
  const text = (bytesOf: string): string => Buffer.from(bytesOf, 'latin1').toString('utf8');
  return {
    commitA,
    commitB,
    isEqual: !bytes,
    stat: text(stat),
    patch: text(patch),
    patchBytes: Number(bytes ?? 0),
  };
}
