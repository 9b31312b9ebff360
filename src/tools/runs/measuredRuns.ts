/** The runs from which the metric tools read metrics. */
import * as z from 'zod';
import { ToolFailure } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { Repeat } from '../../experiments/repeats.ts';
import { noAnnotation, type RunAnnotation } from '../../experiments/runAnnotation.ts';
import type { Objective } from '../../experiments/target/target.ts';
import type { ReadableMetrics } from '../../metrics/fixedMetrics.ts';
import type { MetricSpec } from '../../metrics/metric.ts';
import type { RunMetrics } from '../../metrics/runMetrics.ts';
import { runName } from '../../runs/run.ts';

export interface MeasuredRun {
  readonly id: RunId;
  /** Name of the run: `run 7`. */
  readonly name: string;
  /** Short name, such as `lr=3e-4`. Omitted for a run of this session. */
  readonly label?: string;
  /** Handle of the process: `machine:pid`; `undefined` until the process has started. */
  readonly handle: string | undefined;
  /** State or verdict: `running`, `ok`, `failed (exit code 3)` … */
  readonly status: string;
  /** Tags and note of the user. */
  readonly annotation?: RunAnnotation;
  readonly metrics: ReadableMetrics;
  /** Directions that the launch stated. */
  readonly directions?: MetricSpec['directions'];
}

/** A run of this session. */
export interface OwnRun extends MeasuredRun {
  readonly metrics: ReadableMetrics & Pick<RunMetrics, 'clear'>;
  /** Metrics that the launch named and that were not read so far. */
  readonly unread: readonly string[];
}

export interface MeasuredRuns {
  /** Finds a run of this session by its id, number or handle. */
  find(reference: string): OwnRun | undefined;
  /**
   * Returns the metrics of the target with their better directions; first the metric that ranks the
   * runs.
   */
  objectives(): readonly Objective[];
  /** Returns the setting and the seed of each run of this session that has a seed. */
  repeats(): ReadonlyMap<RunId, Repeat>;
  /** Returns the runs of this session, oldest first. */
  all(): readonly OwnRun[];
  /** Returns the runs of an experiment (`e7`) or a sweep (`s1`); empty if it names neither. */
  group(reference: string): readonly OwnRun[];
  /**
   * Finds runs of other sessions by a run id, a handle, `SESSION#7` or `SESSION#e7`, and imported
   * results by `i1` or `i1#3`. The metrics of these runs can be read, but their output cannot be
   * read again.
   */
  elsewhere(reference: string): Promise<readonly MeasuredRun[]>;
  /**
   * Reads the output of a run again with more patterns. Resolves when the output of an ended run is
   * read.
   */
  reread(id: RunId, patterns: Readonly<Record<string, string>>): Promise<void>;
  /** Resolves with the line of a run's output that is most similar to one of the metrics. */
  nearestLine(id: RunId, metrics: readonly string[]): Promise<string | undefined>;
}

const reference = z.union([z.string().min(1), z.number().int().positive()]);

/** Reference to runs: one, an experiment, a sweep, or a list of these. */
export type RunsReference = string | number | readonly (string | number)[];

/** Returns the parameter that names runs. `more` ends its description. */
export const taskId = (more: string) =>
  z
    .union([reference, z.array(reference).min(1).max(1000)])
    .describe(`Run, experiment ("e7"), sweep ("s1"), or a list. ${more}`);

/** Finds runs of this session. Throws `ToolFailure` as `requireRun` does. */
export const requireOwnRuns = (runs: MeasuredRuns, named: RunsReference): readonly OwnRun[] =>
  withoutRepeats(
    listOf(named).flatMap((one) => ownRuns(runs, String(one)) ?? requireRun(runs, one)),
  );

/**
 * Finds runs of this session, or of another session if the name contains its id. Rejects as
 * `requireOwnRuns` throws.
 */
export async function requireRuns(
  runs: MeasuredRuns,
  named: RunsReference,
): Promise<readonly MeasuredRun[]> {
  const found: MeasuredRun[] = [];
  for (const one of listOf(named)) {
    const own = ownRuns(runs, String(one)) ?? [];
    const others =
      own.length === 0 && isElsewhere.test(String(one)) ? await runs.elsewhere(String(one)) : [];
    found.push(...own, ...others);
    if (own.length + others.length === 0) found.push(requireRun(runs, one));
  }
  return withoutRepeats(found);
}

/**
 * Matches references that are unique in the home folder: a session with a part of it, a run id, a
 * handle, or an import.
 */
export const isElsewhere = /^\s*(?:s-[^#]+#|r-|[^\s:]+:\d+\s*$|i\d+(?:#\d+)?\s*$)/i;

function ownRuns(runs: MeasuredRuns, reference: string): readonly OwnRun[] | undefined {
  const group = runs.group(reference.trim());
  const run = group.length > 0 ? undefined : runs.find(reference.trim());
  return run === undefined ? (group.length > 0 ? group : undefined) : [run];
}

const listOf = (named: RunsReference): readonly (string | number)[] =>
  typeof named === 'object' ? named : [named];

const withoutRepeats = <Run extends MeasuredRun>(runs: readonly Run[]): readonly Run[] => [
  ...new Map(runs.map((run) => [run.id, run])).values(),
];

/**
 * Finds a run by id, handle or number (`7`, `run 7`, `#7`). If several runs had the handle, returns
 * the newest one. Throws `ToolFailure` that lists the existing runs if there is no such run.
 */
function requireRun(runs: MeasuredRuns, reference: string | number): OwnRun {
  const wanted = String(reference).trim();
  const number = /^(?:run[\s_-]*|#)?(\d+)$/i.exec(wanted)?.[1];
  const found =
    runs.find(wanted) ??
    runs
      .all()
      .findLast(
        ({ id, handle, name }) =>
          id === wanted || handle === wanted || name === runName(Number(number)),
      );
  if (found !== undefined) return found;
  if (/^i\d+/i.test(wanted))
    throw new ToolFailure(
      `There is no run ${wanted}. Imported results can only be shown and compared; exp_list with scope imported lists them.`,
    );
  const known = runs.all().map((run) => `${run.name} (${run.handle ?? run.id})`);
  throw new ToolFailure(
    known.length === 0
      ? `There is no run ${wanted}: no run was started yet. Start one with remote_exec_background.`
      : `There is no run ${wanted}. Runs: ${known.slice(-20).join(', ')}.`,
  );
}

/** Returns the fields that name a run in the result of a tool. */
export const runHead = ({
  id,
  name,
  label,
  handle,
  status,
  annotation: { tags, note } = noAnnotation,
}: MeasuredRun): Record<string, unknown> => ({
  run: name,
  ...(label !== undefined && { label }),
  task_id: handle ?? id,
  status,
  ...(tags.length > 0 && { tags_of_user: tags.join(' ') }),
  ...(note !== '' && { note_of_user: note }),
});

const significantDigits = 7;

/**
 * Rounds a value for JSON. Returns `"NaN"`, `"Inf"` or `"-Inf"` for values that JSON cannot
 * represent.
 */
export function jsonValue(value: number): number | string {
  if (Number.isFinite(value)) return Number(value.toPrecision(significantDigits));
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? 'Inf' : '-Inf';
}

/** Returns the step for JSON; null if the output of the run named no step. */
export const jsonStep = (step: number): number | null => (Number.isNaN(step) ? null : step);

/** Returns the reference to runs as text for the user: `run 7`, `local:4711`, `e7`. */
export const taskText = (task: RunsReference): string =>
  typeof task === 'object'
    ? task.map(taskText).join(', ')
    : /^\d+$/.test(String(task))
      ? runName(Number(task))
      : String(task);
