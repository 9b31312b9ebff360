/** Finds earlier runs of the same experiment, by the code and the normal form of the command. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { RunId } from '../base/ids.ts';
import { pathInCode } from './codeUpload.ts';
import { commandForm } from './commandForm.ts';
import type { CodeState } from './experiment.ts';

/** A command together with the state of the code in which it runs. */
export interface Attempt {
  readonly command: string;
  /** Absolute path of the folder of the command, on the machine. */
  readonly cwd: string;
  readonly code: CodeState;
  /** Tree of an earlier experiment that is treated as the same code; see `ExperimentPlan`. */
  readonly sameCodeAs?: string | undefined;
}

export interface TriedRun {
  readonly runId: RunId;
  readonly experimentId: string;
  readonly code: CodeState;
}

/**
 * - `same`: same code and same arguments
 * - `seed`: same code, and the arguments differ only in options for seed, verbosity, workers,
 *   logging or device
 */
export interface FoundRun extends TriedRun {
  readonly likeness: 'same' | 'seed';
}

/**
 * Returns a hash that is equal for the same code state and the same commands, whatever the order,
 * quotes and spaces of their arguments.
 */
export const fingerprintOf = (attempts: readonly Attempt[]): string =>
  hash([...new Set(attempts.map((attempt) => attemptKeys(attempt).same))].toSorted());

/** An index of the planned runs. A lookup takes constant time. */
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
   * Returns the runs with the likeness `same`, followed by the runs with the likeness `seed`. Both
   * groups are sorted newest first.
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

/**
 * Returns a key that is equal for two states of the code if their difference cannot affect a run;
 * `undefined` if the code is unknown.
 */
export const codeKey = ({
  code,
  sameCodeAs,
}: Pick<Attempt, 'code' | 'sameCodeAs'>): string | undefined =>
  code.kind === 'git'
    ? `${sameCodeAs ?? code.tree}${code.ignored === undefined ? '' : `+${code.ignored}`}`
    : undefined;

/**
 * Keys that are equal for equal attempts, in any session. `same` covers all arguments; `seed`
 * ignores options for seed, verbosity, workers, logging and device.
 */
export interface AttemptKeys {
  readonly same: string;
  readonly seed: string;
}

export function attemptKeys({ command, cwd, code, sameCodeAs }: Attempt): AttemptKeys {
  const { exact, near } = commandForm(command);
  const place = placeOf({ command, cwd, code });
  const state = codeKey({ code, sameCodeAs }) ?? 'unknown';
  return { same: hash([state, place, exact]), seed: hash([state, place, near]) };
}

/**
 * Returns the folder in which the command runs. In a repository, returns its path relative to the
 * repository, so that it is equal in two worktrees with the same code.
 */
export function placeOf({ command, cwd, code }: Attempt): string {
  const at = path.posix.resolve(cwd, commandForm(command).folder ?? '.');
  return code.kind === 'git' ? pathInCode(code, at, path.posix) : at;
}

const hash = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);

function put(into: Map<string, TriedRun[]>, key: string, run: TriedRun): void {
  const runs = into.get(key);
  if (runs === undefined) into.set(key, [run]);
  else runs.push(run);
}
