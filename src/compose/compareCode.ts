/** Compares the stored code of two experiments. */
import type { Clock } from '../base/clock.ts';
import { UserFacing } from '../base/errors.ts';
import { changedLines } from '../experiments/codeDifference.ts';
import type { CodeState, ExperimentPlan } from '../experiments/experiment.ts';
import { runGit, scriptStart } from '../experiments/git/gitScript.ts';
import type { Machine, Machines } from '../machines/machine.ts';
import { localId } from '../machines/machineEntry.ts';

export interface ComparedPlans {
  readonly baseline: ExperimentPlan;
  readonly experiment: ExperimentPlan;
  readonly machines: Pick<Machines, 'get'>;
  readonly clock: Clock;
}

/** A file that differs. */
export interface ChangedFile {
  /** Path in the repository. */
  readonly path: string;
  /** Resolves with the text; empty if the file is missing in this state of the code. */
  before(): Promise<string>;
  after(): Promise<string>;
}

type GitCode = Extract<CodeState, { kind: 'git' }>;

interface StoredCode {
  readonly machine: Machine;
  readonly repo: string;
  readonly before: string;
  readonly after: string;
  readonly clock: Clock;
}

const timeoutMs = 30_000;
const maxFiles = 100;
const listScript = `${scriptStart}cd -- "$1" && g diff-tree -r --no-renames --name-only -z "$2" "$3"`;
const readScript = `${scriptStart}cd -- "$1" && if g cat-file -e "$2:$3" 2>/dev/null; then g cat-file blob "$2:$3"; fi`;

/**
 * Resolves with changed files and their lines (`train.py, 10 lines`). Resolves with `undefined` if
 * the code is the same, or if the two states cannot be compared. Never rejects.
 */
export async function changedCodeText(plans: ComparedPlans): Promise<string | undefined> {
  try {
    const stored = storedCode(plans);
    if (stored === undefined || stored.before === stored.after) return undefined;
    const { machine, repo, before, after, clock } = stored;
    return await changedLines(machine, { repo, before, tree: after, clock });
  } catch {
    // The machine was removed.
    return undefined;
  }
}

/**
 * Resolves with the files that differ, at most 100. Rejects with `GitFailure`, or with `UserFacing`
 * if the code of one of them was not stored in the same repository.
 */
export async function changedCode(plans: ComparedPlans): Promise<readonly ChangedFile[]> {
  const stored = storedCode(plans);
  if (stored === undefined)
    throw new UserFacing(
      `The code of ${plans.baseline.id} and ${plans.experiment.id} was not stored in one repository.`,
    );
  const { machine, repo, before, after, clock } = stored;
  const call = { machine, clock, timeoutMs };
  const list = await runGit({ ...call, script: listScript, args: [repo, before, after] });
  const textOf = async (tree: string, path: string): Promise<string> =>
    utf8(await runGit({ ...call, script: readScript, args: [repo, tree, path] }));
  return utf8(list)
    .split('\0')
    .filter((path) => path !== '')
    .slice(0, maxFiles)
    .map((path) => ({
      path,
      before: () => textOf(before, path),
      after: () => textOf(after, path),
    }));
}

const utf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

function storedCode({ baseline, experiment, machines, clock }: ComparedPlans) {
  const [one, other] = [baseline.code, experiment.code];
  if (one.kind === 'none' || other.kind === 'none') return undefined;
  const [first, second] = [storeOf(baseline, one), storeOf(experiment, other)];
  if (first !== second) return undefined;
  const code: StoredCode = {
    machine: machines.get(second),
    repo: other.repo,
    before: one.tree,
    after: other.tree,
    clock,
  };
  return code;
}

const storeOf = ({ machineId }: ExperimentPlan, { uploaded }: GitCode): string =>
  uploaded === undefined ? machineId : localId;
