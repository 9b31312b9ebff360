/**
 * Stores the state of the code: the tree of a worktree, including uncommitted changes, as a commit
 * under a ref of Helios. Only the object store of the user's repository grows: the index, branches,
 * stash, reflogs and settings stay unchanged. Starts none of the user's programs (hooks, filters,
 * watchers).
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import type { Machine } from '../../machines/machine.ts';
import { codeFilesOf } from '../codeDifference.ts';
import type { CodeState } from '../experiment.ts';
import { capture, type Captured } from './capture.ts';
import { dropRefsScript } from './dropRefs.ts';
import { GitFailure, runGit } from './gitScript.ts';
import { defaultLimits, namedLeftOut, type LeaveOutLimits } from './leaveOut.ts';
import { formatDuration } from '../../base/text.ts';

export interface ExperimentCodeStoreDeps {
  readonly sessionId: SessionId;
  readonly clock: Clock;
  /** Returns the limits for stored files; called for each capture. Default: 10 MB per file. */
  limits?(): LeaveOutLimits;
  /** Returns the trees to compare with the code of a launch; called for each capture. */
  compared?(): readonly string[];
  /** Maximum time to store a state of the code. Default: 20 s. */
  readonly timeoutMs?: number;
}

const captureMs = 20_000;
const discardMs = 5_000;

export class ExperimentCodeStore {
  readonly #deps: ExperimentCodeStoreDeps;
  readonly #differences = new WeakMap<CodeState, string>();

  constructor(deps: ExperimentCodeStoreDeps) {
    this.#deps = deps;
  }

  /**
   * Stores the code under `name`: an experiment id such as `e7`, or other letters, digits and
   * dashes. A newer state replaces an older state of the same name. Without a name, stores nothing
   * and only determines the state. `commands` are the commands to run: the state includes a hash of
   * the files that these commands name and git ignores. Never rejects: if this fails or takes too
   * long, resolves with the kind `none` and the reason.
   */
  async capture(
    machine: Machine,
    folder: string,
    name: string | undefined,
    commands: readonly string[] = [],
  ): Promise<CodeState> {
    const { clock, sessionId, timeoutMs = captureMs } = this.#deps;
    const endMs = clock.now() + timeoutMs;
    const others = commands.length === 0 ? [] : (this.#deps.compared?.() ?? []);
    try {
      const captured = await capture({
        machine,
        folder,
        clock,
        ref: name === undefined ? '' : refOf(sessionId, name),
        message: `Code of ${name ?? 'a launch'}`,
        limits: this.#deps.limits?.() ?? defaultLimits,
        files: codeFilesOf(commands),
        others,
        leftMs: () => Math.max(1, endMs - clock.now()),
      });
      const code = codeOf(captured);
      if (others.length > 0) this.#differences.set(code, captured.differences);
      return code;
    } catch (error) {
      const isLate = error instanceof GitFailure && error.reason === 'timeout';
      return { kind: 'none', why: isLate ? lateText(machine, timeoutMs) : messageOf(error) };
    }
  }

  /** Returns how captured code differs from the compared trees: see `ComparedCode.differences`. */
  differences(code: CodeState): string | undefined {
    return this.#differences.get(code);
  }

  /**
   * Removes the code that `capture` stored under `name`. Never rejects, because a ref that remains
   * causes no harm.
   */
  async discard(machine: Machine, repo: string, name: string): Promise<void> {
    const { clock, sessionId } = this.#deps;
    const args = [repo, refOf(sessionId, name)];
    await runGit({ machine, script: dropRefsScript, args, clock, timeoutMs: discardMs }).catch(
      () => undefined,
    );
  }
}

function codeOf({
  top,
  head,
  tree,
  headTree,
  commit,
  ignored,
  leftOut: notStored,
}: Captured): CodeState {
  const ignoredFiles = [...ignored.keys()].map((file) => [file, 'ignored'] as const);
  return {
    kind: 'git',
    repo: top,
    tree,
    isDirty: tree !== headTree,
    leftOut: namedLeftOut(new Map([...notStored, ...ignoredFiles])),
    ...(ignored.size > 0 && { ignored: digestOf(ignored) }),
    ...(head !== undefined && { head }),
    ...(commit !== undefined && { commit }),
  };
}

const digestOf = (files: ReadonlyMap<string, string>): string =>
  createHash('sha256')
    .update(JSON.stringify([...files].toSorted()))
    .digest('hex')
    .slice(0, 16);

const lateText = ({ id }: Machine, limitMs: number): string =>
  `The code could not be read within ${formatDuration(limitMs)} on ${id}: the repository is large, or the machine is slow.`;

/** Returns the ref under which a session stores code. Throws `GitFailure` for an invalid name. */
export function refOf(sessionId: SessionId, name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/.test(name)) return `refs/helios/${sessionId}/${name}`;
  throw new GitFailure(
    'missing',
    `${JSON.stringify(name)} is not a valid name. Use letters, digits and dashes.`,
  );
}
