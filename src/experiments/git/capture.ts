/**
 * Stores the code of an experiment in three steps: surveys the worktree, selects the files, makes
 * the commit.
 */
import { randomBytes } from 'node:crypto';
import { delay, type Clock } from '../../base/clock.ts';
import { shellText } from '../../base/shellText.ts';
import type { Machine } from '../../machines/machine.ts';
import { GitFailure, heliosFolder, runGit, scriptStart } from './gitScript.ts';
import { intakeOf, toInspect, type Intake } from './intake.ts';
import type { LeaveOutLimits } from './leaveOut.ts';
import { inspect, survey, type GitPlace, type HeadEntry, type Survey } from './survey.ts';
import { formatDuration } from '../../base/text.ts';

export interface Capture {
  readonly machine: Machine;
  readonly folder: string;
  readonly clock: Clock;
  /** Name of the ref under which the commit is stored. If empty, no commit is made. */
  readonly ref: string;
  /**
   * Set for a worktree that Helios created: the parent of the new commit. A commit is then made
   * only if something has changed, and is checked out in the worktree. If omitted, the parent is
   * the checked-out commit, which stays checked out.
   */
  readonly following?: string;
  readonly message: string;
  readonly limits: LeaveOutLimits;
  /** Paths that a command names, relative to `folder`. Files that git ignores are only hashed. */
  readonly files?: readonly string[];
  /** Returns the remaining time, in milliseconds. */
  leftMs(): number;
  readonly signal?: AbortSignal;
}

export interface Captured {
  /** Absolute path of the root of the worktree. */
  readonly top: string;
  readonly head?: string;
  readonly tree: string;
  /** The tree of `head`; the empty tree if there is no commit yet. */
  readonly headTree: string;
  /** The new commit. Omitted if the repository is not writable or nothing has changed. */
  readonly commit?: string;
  readonly leftOut: ReadonlyMap<string, string>;
  /** Hashes of the requested files that git ignores: name → hash of the content. */
  readonly ignored: ReadonlyMap<string, string>;
}

/** Stores the code of a worktree. Rejects with `GitFailure`. */
export async function capture(request: Capture): Promise<Captured> {
  await ready(request);
  const base = request.following === undefined ? {} : { base: request.following };
  const place = (): GitPlace => ({ ...request, ...base, timeoutMs: request.leftMs() });
  const surveyed = await survey(place());
  const inspected = await inspect(
    { ...place(), folder: surveyed.top },
    toInspect(surveyed),
    request.limits.maxFileBytes,
  );
  const intake = intakeOf(surveyed, inspected, request.limits);
  const { top, head } = surveyed;
  const stored = await keep(request, surveyed, intake);
  return {
    top,
    ...(head !== undefined && { head }),
    ...stored,
    leftOut: intake.leftOut,
    ignored: surveyed.ignored,
  };
}

/** Waits until the machine is ready, at most for the remaining time of the capture. */
async function ready({ machine, clock, leftMs }: Capture): Promise<void> {
  if (machine.ready === undefined) return;
  const answered = new AbortController();
  const limitMs = leftMs();
  const late = delay(clock, limitMs, answered.signal).then(() => {
    throw new GitFailure(
      'timeout',
      `${machine.id} did not answer within ${formatDuration(limitMs)}.`,
    );
  });
  late.catch(() => undefined);
  try {
    await Promise.race([machine.ready(), late]);
  } finally {
    answered.abort();
  }
}

const keepScript = `${scriptStart}${shellText('./keep.sh', import.meta.url)}`;

async function keep(
  { ref, message, following = '', ...request }: Capture,
  { top, unwatched, staged, emptyTree }: Survey,
  { asTheyStand, leftOut }: Intake,
): Promise<Pick<Captured, 'tree' | 'headTree' | 'commit'>> {
  const nothing: HeadEntry = { mode: '0', hash: '0'.repeat(emptyTree.length) };
  // In the temporary copy of the index, staged files that are omitted are reset to the version of
  // the commit, or removed if the commit does not have them.
  const asInHead = [...staged].filter(([name]) => leftOut.has(name));
  const lines = [
    ...unwatched.map((name) => `V${name}`),
    ...asTheyStand.map((name) => `A${name}`),
    ...asInHead.map(([name, { mode, hash } = nothing]) => `H${mode} ${hash}\t${name}`),
  ];
  const text = await runGit({
    ...request,
    timeoutMs: request.leftMs(),
    script: keepScript,
    args: [
      top,
      heliosFolder(request.machine),
      ref,
      message,
      following,
      randomBytes(9).toString('hex'),
      [...new Set(lines.map((line) => line.charAt(0)))].join(''),
    ],
    stdin: Buffer.from(
      lines.map((line) => `${line.replaceAll('\n', '\u0001')}\n`).join(''),
      'latin1',
    ),
  });
  const [tree = '', headTree = '', commit] = text.split('\0');
  return { tree, headTree, ...(commit && { commit }) };
}
