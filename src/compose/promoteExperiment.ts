/**
 * Exports the code of an experiment (by default, of the session's champion) as a branch or a patch.
 */
import type { Clock } from '../base/clock.ts';
import { UserFacing } from '../base/errors.ts';
import { oneLine } from '../base/text.ts';
import type { CodeState } from '../experiments/experiment.ts';
import { bringBranch } from '../experiments/git/bringBranch.ts';
import {
  promoteToBranch,
  promotedChange,
  promoteToPatch,
  type PromotedBranch,
  type PromotedCode,
} from '../experiments/git/promote.ts';
import { commandForm } from '../experiments/commandForm.ts';
import { seedOf } from '../experiments/seeds.ts';
import { resultValueText, type ExperimentRow, type Ledger } from '../experiments/ledger.ts';
import type { Machines } from '../machines/machine.ts';
import { localId } from '../machines/machineEntry.ts';

/** An experiment whose code can be exported. */
export interface Promotable {
  readonly row: ExperimentRow;
  /** The machine that stores the code. */
  readonly machineId: string;
  readonly code: CodeState;
}

/**
 * Finds an experiment by `e7` or `7`; by default, the champion. Throws `UserFacing` if there is no
 * such experiment or its code was not stored.
 */
export function promotable(
  { experiments }: Pick<Ledger, 'experiments'>,
  reference?: string,
): Promotable {
  const number = reference?.trim().replace(/^(?:experiment\s*|e|#)/i, '');
  const row = experiments.find((each) =>
    number === undefined ? each.isChampion : each.id === `e${number}`,
  );
  if (row === undefined) throw missing(experiments, reference);
  if (row.plan === undefined)
    throw new UserFacing(
      `The code of ${row.id} was not stored: the experiment is from an older version of Helios.`,
      'Choose another experiment.',
    );
  const { code, machineId } = row.plan;
  if (code.kind === 'none')
    throw new UserFacing(
      `The code of ${row.id} was not stored: ${code.why}`,
      `It was measured with: ${row.result?.runs[0]?.command ?? row.command} (on ${machineId}).`,
    );
  return { row, machineId: code.uploaded === undefined ? machineId : localId, code };
}

function missing(experiments: readonly ExperimentRow[], reference: string | undefined): UserFacing {
  const ids = experiments.filter(({ plan }) => plan !== undefined).map(({ id }) => id);
  const advice =
    ids.length === 0
      ? 'No experiment of the session has stored code.'
      : `Name one of: ${ids.slice(-20).join(', ')}.`;
  return reference === undefined
    ? new UserFacing('This session has no best experiment yet.', advice)
    : new UserFacing(`There is no experiment ${reference}.`, advice);
}

export interface PromoteDeps {
  readonly machines: Pick<Machines, 'get'>;
  readonly clock: Clock;
  /** The session's work folder, on this computer. */
  readonly workFolder: string;
}

export interface MadeBranch extends PromotedBranch {
  /** Files and lines that differ from the commit that the user has checked out. */
  readonly change: string;
  /**
   * Why the branch was created on another computer, the machine of the experiment. Omitted if it is
   * on this computer.
   */
  readonly whyAway?: string;
}

/**
 * Creates a branch with the experiment's code, without checking it out: in the repository of the
 * experiment or, if that is on another machine, in the repository of the work folder. If their
 * histories do not connect, the branch stays on the machine. Rejects with `MachineFailure`, or with
 * `UserFacing`, for example if the branch name is in use.
 */
export async function promoteAsBranch(
  deps: PromoteDeps,
  from: Promotable,
  branch: string,
): Promise<MadeBranch> {
  const code = codeOf(deps, from);
  const change = await promotedChange(code);
  if (from.machineId === localId) return { ...(await promoteToBranch(code, branch)), change };
  const place = { machine: deps.machines.get(localId), folder: deps.workFolder };
  const brought = await bringBranch(code, branch, place);
  return 'why' in brought
    ? { ...(await promoteToBranch(code, branch)), change, whyAway: brought.why }
    : { ...brought, change };
}

/** Options with which the user asks for another result, such as `add --branch NAME`. */
export interface PromoteAdvice {
  /** For a patch on this computer. */
  readonly patch: string;
  /** For a branch with another name. */
  readonly name: string;
}

/** Describes the branch for the user. */
export function branchText(
  { row, machineId }: Promotable,
  { branch, commit, repo, change, isOld, whyAway }: MadeBranch,
  advice: PromoteAdvice,
): string {
  const place = whyAway === undefined ? repo : `${repo} on ${machineId}`;
  if (isOld)
    return `Branch ${branch} in ${place} already holds the code of ${row.id} (commit ${commit.slice(0, 10)}; ${change}). For another branch, ${advice.name}.`;
  if (whyAway !== undefined)
    return `Created branch ${branch} from ${row.id} in ${place} (${change}), not on this computer: ${whyAway} For the code here, ${advice.patch}.`;
  const origin = machineId === localId ? row.id : `${row.id} of ${machineId}`;
  return `Created branch ${branch} from ${origin} in ${repo} (${change}).`;
}

/**
 * Resolves with a patch for `git apply`, relative to the commit that the user has checked out.
 * Rejects like `promoteAsBranch`.
 */
export const promoteAsPatch = (
  deps: Omit<PromoteDeps, 'workFolder'>,
  from: Promotable,
): Promise<Uint8Array> => promoteToPatch(codeOf(deps, from));

/** Resolves with files and lines, as in `MadeBranch`. Rejects with `UserFacing`. */
export const changeOf = (
  deps: Omit<PromoteDeps, 'workFolder'>,
  from: Promotable,
): Promise<string> => promotedChange(codeOf(deps, from));

const codeOf = (
  { machines, clock }: Omit<PromoteDeps, 'workFolder'>,
  { row, machineId, code }: Promotable,
): PromotedCode => ({
  machine: machines.get(machineId),
  code,
  clock,
  message: messageOf(row),
  commands: row.runs.map(({ command }) => command),
});

/** Returns the message of the commit: the hypothesis, what was measured, and the command. */
function messageOf(row: ExperimentRow): string {
  const measured = row.result === undefined ? [] : [`Measured: ${resultValueText(row.result)}`];
  const hypothesis = row.hypothesis.trim();
  const subject = subjectOf(hypothesis) || `Code of ${row.id}`;
  return [
    subject,
    '',
    ...(subject.endsWith('…') ? [hypothesis, ''] : []),
    ...measured,
    `Command: ${commandText(row, 500)}`,
    `Experiment ${row.id} of Helios`,
  ].join('\n');
}

const maxSubjectChars = 72;

/** Returns the text as one line, truncated between two words. */
function subjectOf(text: string): string {
  const flat = oneLine(text, Infinity);
  if (flat.length <= maxSubjectChars) return flat;
  const start = flat.slice(0, maxSubjectChars - 1);
  const end = start.lastIndexOf(' ');
  return end < 0 ? oneLine(flat, maxSubjectChars) : `${start.slice(0, end)} …`;
}

/**
 * Returns the command of the first run of the result, because the command of a sweep contains
 * placeholders.
 */
const measuredCommand = ({ result, runs, command }: ExperimentRow): string =>
  (result?.runs ?? runs)[0]?.command ?? command;

/** Returns the measured command and, if the result is of several seeds, the other seeds. */
function commandText(row: ExperimentRow, maxChars: number): string {
  const seeds = (row.result?.runs ?? []).flatMap((run) => seedOf(run) ?? []);
  const others = [...new Set(seeds)].slice(1);
  const also = others.length === 0 ? '' : ` (also with seed ${others.join(', ')})`;
  return `${oneLine(measuredCommand(row), maxChars)}${also}`;
}

const maxBranchChars = 40;

/**
 * Returns the name of the branch, with as many whole words of the hypothesis as fit:
 * `helios/cosine-schedule-e7`.
 */
export function branchNameFor({ row }: Promotable): string {
  const all = row.hypothesis
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const [folder, end] = ['helios/', `-${row.id}`];
  const room = maxBranchChars - folder.length - end.length;
  const whole = all.length <= room ? all : all.slice(0, Math.max(0, all.lastIndexOf('-', room)));
  // A single long word is truncated.
  const words = (whole || all).slice(0, room);
  return words === '' ? `${folder}${row.id}` : `${folder}${words}${end}`;
}

/** Returns warnings about the exported code; an empty list if there are none. */
export function promotedNotes({ row, code }: Promotable): readonly string[] {
  const command = measuredCommand(row);
  const { settings } = commandForm(command);
  return [
    ...(code.kind === 'git' && code.leftOut.length > 0
      ? [`Not included: ${code.leftOut.join(', ')}.`]
      : []),
    ...(settings.size > 1
      ? [
          `The result was measured with options, which are not part of the code: ${commandText(row, 300)}`,
        ]
      : []),
  ];
}
