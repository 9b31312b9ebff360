/** Captures the code in three steps: surveys the worktree, selects the files, stores the commit. */
import { randomBytes } from 'node:crypto';
import { delay, type Clock } from '../../base/clock.ts';
import { shellText } from '../../base/shellText.ts';
import type { Machine } from '../../machines/machine.ts';
import { GitFailure, heliosFolder, runGit, scriptStart } from './gitScript.ts';
import { intakeOf, toInspect, type Intake } from './intake.ts';
import type { LeaveOutLimits } from './leaveOut.ts';
import { inspect, survey, type GitPlace, type HeadEntry, type Survey } from './survey.ts';

export interface Capture {
  readonly machine: Machine;
  readonly folder: string;
  readonly clock: Clock;
  /** Name of the ref under which the commit is stored. */
  readonly ref: string;
  /**
   * Parent of the new commit, for a worktree that Helios created: commits only if something has
   * changed, and checks the new commit out in that worktree. By default, the parent is the commit
   * that is checked out, which stays checked out.
   */
  readonly following?: string;
  readonly message: string;
  readonly limits: LeaveOutLimits;
  /** Paths that a command names, relative to `folder`. They count even if git ignores them. */
  readonly files?: readonly string[];
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

/** Captures the code of a worktree. Rejects with `GitFailure`. */
export async function capture(asked: Capture): Promise<Captured> {
  await ready(asked);
  const base = asked.following === undefined ? {} : { base: asked.following };
  const place = (): GitPlace => ({ ...asked, ...base, timeoutMs: asked.leftMs() });
  const surveyed = await survey(place());
  const seen = await inspect(
    { ...place(), folder: surveyed.top },
    toInspect(surveyed),
    asked.limits.maxFileBytes,
  );
  const intake = intakeOf(surveyed, seen, asked.limits);
  const { top, head } = surveyed;
  const kept = await keep(asked, surveyed, intake);
  return {
    top,
    ...(head !== undefined && { head }),
    ...kept,
    leftOut: intake.leftOut,
    ignored: surveyed.ignored,
  };
}

/** Waits until the machine is ready, at most as long as git itself may take. */
async function ready({ machine, clock, leftMs }: Capture): Promise<void> {
  if (machine.ready === undefined) return;
  const known = new AbortController();
  const limitMs = leftMs();
  const late = delay(clock, limitMs, known.signal).then(() => {
    throw new GitFailure('timeout', `${machine.id} did not answer within ${limitMs / 1000} s.`);
  });
  late.catch(() => undefined);
  try {
    await Promise.race([machine.ready(), late]);
  } finally {
    known.abort();
  }
}

const keepScript = `${scriptStart}${shellText('./keep.sh', import.meta.url)}`;

async function keep(
  { ref, message, following = '', ...asked }: Capture,
  { top, unwatched, staged, emptyTree }: Survey,
  { asTheyStand, leftOut }: Intake,
): Promise<Pick<Captured, 'tree' | 'headTree' | 'commit'>> {
  const nothing: HeadEntry = { mode: '0', hash: '0'.repeat(emptyTree.length) };
  // Excluded files that are staged are reset in the index, to the version of the commit. Files that
  // the commit does not have are removed from the index.
  const asInHead = [...staged].filter(([name]) => leftOut.has(name));
  const lines = [
    ...unwatched.map((name) => `V${name}`),
    ...asTheyStand.map((name) => `A${name}`),
    ...asInHead.map(([name, { mode, hash } = nothing]) => `H${mode} ${hash}\t${name}`),
  ];
  const text = await runGit({
    ...asked,
    timeoutMs: asked.leftMs(),
    script: keepScript,
    args: [
      top,
      heliosFolder(asked.machine),
      ref,
      message,
      following,
      randomBytes(9).toString('hex'),
    ],
    stdin: Buffer.from(
      lines.map((line) => `${line.replaceAll('\n', '\u0001')}\n`).join(''),
      'latin1',
    ),
  });
  const [tree = '', headTree = '', commit] = text.split('\0');
  return { tree, headTree, ...(commit && { commit }) };
}
