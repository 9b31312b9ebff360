/**
 * Texts about experiments for the model: results, reasons to refuse a launch, objections to a
 * decision.
 */
import { formatValue, oneLine } from '../../base/text.ts';
import type { Attempt, FoundRun } from '../../experiments/duplicates.ts';
import {
  experimentStatus,
  resultRunsText,
  type ExperimentResult,
  type ExperimentRow,
  type ImportedResult,
  type Ledger,
  type NamedResult,
} from '../../experiments/ledger.ts';
import { repeatsOf } from '../../experiments/repeats.ts';
import { seedOf } from '../../experiments/seeds.ts';
import { runName, runNames } from '../../runs/run.ts';

export interface RefusedLaunch {
  readonly found: readonly { readonly attempt: Attempt; readonly found: FoundRun }[];
  /** Number of commands in the launch. */
  readonly of: number;
  readonly ledger: Ledger;
}

const maxNamed = 5;

/** Returns the runs and the result of an experiment in one line. */
export const resultText = (row: ExperimentRow): string =>
  [
    row.runs.length === 0 ? experimentStatus(row) : row.verdicts,
    ...(row.result === undefined ? [] : [measuredText(row.result, row.runs)]),
  ].join(', ');

/**
 * Formats the result of an experiment. Names the runs that it covers if they are not those of the
 * experiment: `loss 0.41 (run 12, one of 3 settings)`.
 */
export function measuredText(result: ExperimentResult, runs: ExperimentRow['runs']): string {
  const text = resultRunsText(result);
  const count = runs.length < 2 ? 1 : repeatsOf(runs).length;
  const notes = [
    ...(result.others === undefined && !isSame(result.runs, runs)
      ? [runNames(result.runs.map(({ number }) => number))]
      : []),
    ...(count < 2 ? [] : [`one of ${count} settings`]),
  ];
  return notes.length === 0 ? text : `${text} (${notes.join(', ')})`;
}

const isSame = (some: ExperimentRow['runs'], others: ExperimentRow['runs']): boolean =>
  new Set([...some, ...others].map(({ runId }) => runId)).size === some.length &&
  some.length === others.length;

/** Formats a decision: `discard: no better than the baseline`, `not decided`. */
export const decisionText = (row: Pick<ExperimentRow, 'decision' | 'status'>): string =>
  `${experimentStatus(row)}${row.decision === undefined ? '' : `: ${oneLine(row.decision.why, 200)}`}`;

/**
 * Explains why a duplicate is not launched: names the earlier experiment with its result and
 * decision, and how to repeat the experiment deliberately.
 */
export function duplicateText({ found, of, ledger }: RefusedLaunch): string {
  const byExperiment = Map.groupBy(found, ({ found: { experimentId } }) => experimentId);
  const lines = [...byExperiment]
    .slice(0, maxNamed)
    .map(([id, duplicates]) => earlierText(id, duplicates, ledger));
  const more =
    byExperiment.size > maxNamed
      ? [`… and in ${byExperiment.size - maxNamed} more experiments`]
      : [];
  const [id = ''] = byExperiment.keys();
  const head =
    of === 1 ? 'Nothing was started: this was tried before.' : pointsText(found.length, of);
  const instead = of === 1 ? 'Try something new.' : 'Leave out the points that were tried.';
  return [
    head,
    ...lines,
    ...more,
    `${instead} To repeat it on purpose: retest: "<why>" runs it as a new experiment; another seed needs neither (experiment: "${id}" adds it to that experiment).`,
  ].join('\n');
}

/**
 * Explains why a launch does not join an experiment, and the ways out. `changed`: the files that
 * differ, if known. `isSent`: the code runs on a machine to which it is sent.
 */
export function otherCodeText(
  id: string,
  { changed, isSent }: { readonly changed: string | undefined; readonly isSent: boolean },
): string {
  const files = changed === undefined ? '' : ` (${changed})`;
  const way = `exp_branch from ${id}, ${isSent ? 'send it, ' : ''}launch there`;
  return `Nothing was started: the code has changed since experiment ${id}${files}. To add a seed to ${id}: ${way}; for the new code omit the argument experiment.`;
}

/** Returns one note, with the seeds, per experiment that ran something similar to the launch. */
export function similarNotes({ found, ledger }: RefusedLaunch): string[] {
  const byExperiment = Map.groupBy(found, ({ found: { experimentId } }) => experimentId);
  return [...byExperiment]
    .slice(0, maxNamed)
    .map(([id, similar]) => `Similar: ${earlierText(id, similar, ledger).replace(/^- /, '')}`);
}

const pointsText = (count: number, of: number): string =>
  `Nothing was started: ${count} of ${of} points were tried before.`;

const likenessText = {
  same: 'the same code (ignoring comments and outputs) with the same arguments',
  seed: 'the same code with arguments that differ only in seed, workers or logging',
} as const;

function earlierText(
  id: string,
  duplicates: RefusedLaunch['found'],
  { experiments, rows }: Ledger,
): string {
  const row = experiments.find((one) => one.id === id);
  const [first] = duplicates;
  const numbers = rows
    .filter(({ runId }) => duplicates.some(({ found }) => found.runId === runId))
    .map(({ number }) => runName(number));
  const hypothesis = row === undefined ? '' : ` "${oneLine(row.hypothesis, 160)}"`;
  const facts = row === undefined ? [] : [resultText(row), decisionText(row)];
  const ran = first === undefined ? '' : likenessText[first.found.likeness];
  const seeds = duplicates.flatMap(({ found }) => seedsOf(rows, found) ?? []);
  const seedText = seeds.length === 0 ? '' : `, seed ${[...new Set(seeds)].slice(0, 8).join(', ')}`;
  return `- experiment ${id}${hypothesis} ran ${ran} (${numbers.slice(0, maxNamed).join(', ')}${seedText}): ${facts.join('; ')}`;
}

function seedsOf(rows: Ledger['rows'], { runId }: FoundRun): string | undefined {
  const row = rows.find((one) => one.runId === runId);
  return row && seedOf(row);
}

const maxOthers = 6;

/**
 * Formats an imported result: `- keep: what was tried · loss 0.83 (best 0.81) · also acc · 1a2b3c4 ·
 * i1#2`.
 */
export function importedLine(result: ImportedResult & Partial<Pick<NamedResult, 'id'>>): string {
  const { status, metric, value, description, commit, id, values = {} } = result;
  const best = values[metric]?.[1];
  const bestText = best === undefined || best === value ? '' : ` (best ${formatValue(best)})`;
  const others = Object.keys(values).filter((name) => value === undefined || name !== metric);
  return [
    `- ${status}: ${oneLine(description, 160)}`,
    ...(value === undefined ? [] : [`${metric} ${formatValue(value)}${bestText}`]),
    ...(others.length === 0 ? [] : [`also ${oneLine(others.slice(0, maxOthers).join(', '), 160)}`]),
    ...(commit === '' ? [] : [commit]),
    ...(id === undefined ? [] : [id]),
  ].join(' · ');
}
