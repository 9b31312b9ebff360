/** What was tried already: runs by the code they ran and what their arguments come to. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { RunId } from '../base/ids.ts';
import { commandForm } from './commandForm.ts';
import type { CodeState } from './experiment.ts';

/** One command in one state of the code. */
export interface Attempt {
  readonly command: string;
  /** Absolute, on the machine. */
  readonly cwd: string;
  readonly code: CodeState;
  /** As `ExperimentPlan` has it. */
  readonly sameCodeAs?: string | undefined;
}

export interface TriedRun {
  readonly runId: RunId;
  readonly experimentId: string;
  readonly code: CodeState;
}

/**
 * - `same`: same code, same arguments · `seed`: arguments that differ in nothing that changes a
 *   result but chance
 */
export interface FoundRun extends TriedRun {
  readonly likeness: 'same' | 'seed';
}

/**
 * The same for the same code state and the same arguments of every command, whatever their order,
 * quotes and spaces.
 */
export const fingerprintOf = (attempts: readonly Attempt[]): string =>
  hash([...new Set(attempts.map((attempt) => attemptKeys(attempt).same))].toSorted());

/** Grows as runs are planned; answers in constant time. */
export class TriedRuns {
  readonly #bySame = new Map<string, TriedRun[]>();
  readonly #bySeed = new Map<string, TriedRun[]>();

  add(attempt: Attempt, ids: Omit<TriedRun, 'code'>): void {
    const keys = attemptKeys(attempt);
    const run: TriedRun = { ...ids, code: attempt.code };
    put(this.#bySame, keys.same, run);
    put(this.#bySeed, keys.seed, run);
  }

  /**
   * The same attempt, or one that differs in its seed and the like; what is the same comes first,
   * the newest of each first.
   */
  like(attempt: Attempt): readonly FoundRun[] {
    const keys = attemptKeys(attempt);
    const same = (this.#bySame.get(keys.same) ?? []).toReversed();
    const isSame = new Set(same);
    const seeds = (this.#bySeed.get(keys.seed) ?? [])
      .filter((run) => !isSame.has(run))
      .toReversed();
    return [
      ...same.map((run) => ({ ...run, likeness: 'same' as const })),
      ...seeds.map((run) => ({ ...run, likeness: 'seed' as const })),
    ];
  }
}

/** Equal where a run could not tell the code apart; `undefined` where it is not known. */
export const codeKey = ({
  code,
  sameCodeAs,
}: Pick<Attempt, 'code' | 'sameCodeAs'>): string | undefined =>
  code.kind === 'git'
    ? `${sameCodeAs ?? code.tree}${code.ignored === undefined ? '' : `+${code.ignored}`}`
    : undefined;

/** Equal for attempts that are alike, whatever session made them. */
export interface AttemptKeys {
  readonly same: string;
  readonly seed: string;
}

export function attemptKeys({ command, cwd, code, sameCodeAs }: Attempt): AttemptKeys {
  const { exact, near, folder } = commandForm(command);
  const at = path.posix.resolve(cwd, folder ?? '.');
  // The same code in another worktree is the same code.
  const place = code.kind === 'git' ? path.posix.relative(code.repo, at) : at;
  const state = codeKey({ code, sameCodeAs }) ?? 'unknown';
  return { same: hash([state, place, exact]), seed: hash([state, place, near]) };
}

const hash = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);

function put(into: Map<string, TriedRun[]>, key: string, run: TriedRun): void {
  const known = into.get(key);
  if (known === undefined) into.set(key, [run]);
  else known.push(run);
}
