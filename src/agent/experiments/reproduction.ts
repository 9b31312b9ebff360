/**
 * Runs an experiment again: with its stored code in a new worktree, and with the same command,
 * machine and limits. Then compares each metric with the earlier values. The difference is judged
 * only if the earlier values have a spread or a tolerance is given.
 */
import type { Clock } from '../../base/clock.ts';
import { messageOf, UserFacing } from '../../base/errors.ts';
import {
  countedValue,
  summaryFor,
  type Decisive,
  type ExperimentRow,
  type LedgerRow,
} from '../../experiments/ledger.ts';
import { repeatsOf } from '../../experiments/repeats.ts';
import { seedOf, statisticsOver } from '../../experiments/seeds.ts';
import { repeatedRun } from '../../experiments/reproductions.ts';
import type { Machine, Machines } from '../../machines/machine.ts';
import type { MetricSummary } from '../../metrics/metric.ts';
import { type RunSpec, type Verdict, runTitle, runName } from '../../runs/run.ts';
import { environmentSince } from './environmentSince.ts';
import { restoredFolder } from './storedCode.ts';
import type {
  ComparedMetric,
  Judgement,
  ReproduceRequest,
  Reproduction,
} from '../contract/reproduction.ts';
import type { SessionRuns } from '../runs/sessionRuns.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import { seriousAlarm } from '../journal/runText.ts';

export interface ReproductionDeps {
  readonly log: SessionLog;
  readonly sessionRuns: SessionRuns;
  readonly machines: Machines;
  readonly clock: Clock;
  /** Folder of the session, absolute. */
  readonly folder: string;
}

/**
 * Reproduces an experiment. Resolves when the new run has ended. Rejects with `UserFacing` when the
 * run cannot be started, or when `request.signal` aborts before the run has ended. The run
 * continues after such an abort.
 */
export async function reproduce(
  deps: ReproductionDeps,
  request: ReproduceRequest,
): Promise<Reproduction> {
  const { log, sessionRuns } = deps;
  const row = plannedRow(sessionRuns, request.experimentId);
  const repeats = repeatedRuns(row, sessionRuns);
  const original = log.state.runs.get(repeats[0].runId)?.spec;
  if (original === undefined)
    throw new UserFacing(`${runTitle(repeats[0].number)} is not in the journal.`);
  const machine = machineOf(deps, original.machineId, row.id);
  const name = `reproduction ${row.id} ${runName(log.state.runs.size + 1)}`;
  const place = await restoredFolder(
    { plan: row.plan, machine, cwd: original.cwd, name },
    { ...deps, sessionId: log.state.id },
  );
  const spec = await launched(deps, { row, original, cwd: place.cwd, signal: request.signal });
  const environment = environmentSince(deps, row.plan.envId, request.signal);
  const { verdict, metrics, alarm } = await ended(deps, spec, request.signal);
  const { decisive } = sessionRuns.ledger();
  const repeated = repeatedRun(original.command, repeats);
  const seeds = new Set(repeats.map(seedOf));
  const seed = seedOf(repeats[0]);
  return {
    experimentId: row.id,
    run: spec.number,
    verdict,
    ...(seed !== undefined && { seed }),
    repeats: seed === undefined ? repeats.length : seeds.size,
    ...(alarm && { alarm }),
    metrics: metrics.flatMap(
      (now) => compared(now, { repeats, repeated, tolerance: request.tolerance, decisive }) ?? [],
    ),
    differences: [...place.differences, await environment],
  };
}

type Planned = ExperimentRow & { readonly plan: NonNullable<ExperimentRow['plan']> };

function plannedRow(sessionRuns: SessionRuns, id: string): Planned {
  const { experiments } = sessionRuns.ledger();
  const row = experiments.find((one): one is Planned => one.plan !== undefined && one.id === id);
  if (row !== undefined) return row;
  const knownIds = experiments.flatMap(({ plan }) => plan?.id ?? []).slice(-20);
  throw new UserFacing(
    `There is no experiment ${id} that can be run again.`,
    knownIds.length === 0 ? 'The session has none.' : `Name one of: ${knownIds.join(', ')}.`,
  );
}

/**
 * Returns the runs on which the result of the experiment is based. Without a result, returns the
 * successful runs.
 */
function repeatedRuns(
  { id, runs, result }: Planned,
  sessionRuns: SessionRuns,
): readonly [LedgerRow, ...LedgerRow[]] {
  const groups = repeatsOf(result?.runs ?? runs.filter(({ verdict }) => verdict?.kind === 'ok'));
  const [first, ...more] = groups[0] ?? [];
  if (first !== undefined && sessionRuns.find(first.runId) !== undefined) return [first, ...more];
  throw new UserFacing(`No run of ${id} succeeded.`, 'Choose another experiment.');
}

function machineOf({ machines }: ReproductionDeps, machineId: string, id: string): Machine {
  const machine = machines.list().find((one) => one.id === machineId);
  if (machine !== undefined) return machine;
  throw new UserFacing(
    `Experiment ${id} ran on ${machineId}, which is no longer in the list of machines.`,
    'Add it under the same name, then reproduce the experiment.',
  );
}

interface Launch {
  readonly row: Planned;
  readonly original: RunSpec;
  readonly cwd: string;
  readonly signal: AbortSignal | undefined;
}

async function launched(
  { sessionRuns, log }: ReproductionDeps,
  { row, original, cwd, signal }: Launch,
): Promise<RunSpec> {
  const { machineId, command, metrics, limit, resources } = original;
  const request = {
    machineId,
    command,
    cwd,
    metrics,
    label: 'reproduction',
    experimentId: row.id,
    isReproduction: true as const,
    ...(limit && { limit }),
    ...(resources && { resources }),
  };
  const callId = `reproduction-${row.id}-${log.state.runs.size + 1}`;
  try {
    return (await sessionRuns.launch(request, callId, signal ?? new AbortController().signal)).spec;
  } catch (error) {
    throw new UserFacing(
      `The run was not started: ${messageOf(error)}`,
      'Fix the problem, then reproduce the experiment again.',
    );
  }
}

interface Ended {
  readonly verdict: Verdict;
  readonly alarm: Reproduction['alarm'];
  readonly metrics: readonly MetricSummary[];
}

/** Resolves with the recorded end of the run, immediately if the end is already recorded. */
function ended(
  { log }: ReproductionDeps,
  spec: RunSpec,
  signal: AbortSignal | undefined,
): Promise<Ended> {
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  const check = (): void => {
    const { verdict, metrics = [], alarms = [] } = log.state.runs.get(spec.id) ?? {};
    if (verdict !== undefined) resolve({ verdict, metrics, alarm: seriousAlarm(alarms) });
  };
  const listening = log.onDidRecord(check);
  const stop = (): void =>
    reject(
      new UserFacing(
        `${runTitle(spec.number)} is still running.`,
        'When it ends, the session records its result; compare it in the ledger.',
      ),
    );
  signal?.addEventListener('abort', stop, { once: true });
  check();
  if (signal?.aborted) stop();
  return promise.finally(() => {
    listening.dispose();
    signal?.removeEventListener('abort', stop);
  });
}

interface Before {
  readonly repeats: readonly LedgerRow[];
  /** The run of `repeats` with the same command and seed. */
  readonly repeated: LedgerRow | undefined;
  readonly tolerance: number | undefined;
  readonly decisive: Decisive | undefined;
}

function compared(
  summary: MetricSummary,
  { repeats, repeated, tolerance, decisive }: Before,
): ComparedMetric | undefined {
  const measured = repeats.flatMap((row) => {
    const before = summaryFor(row.metrics, summary.metric);
    const value = before && valueOf(before, decisive);
    return value !== undefined && Number.isFinite(value) ? [{ row, value }] : [];
  });
  if (measured.length === 0) return undefined;
  const { mean, spread, n } = statisticsOver(
    measured.map(({ row, value }) => ({ seed: seedOf(row), value })),
  );
  const same = measured.find(({ row }) => row === repeated);
  const before = same?.value ?? mean;
  const now = valueOf(summary, decisive);
  const delta = now - before;
  const isIdentical = same !== undefined && delta === 0;
  return {
    metric: summary.metric,
    ...(same && { run: same.row.number }),
    before,
    ...(spread !== undefined && { spread }),
    n,
    now,
    delta,
    judgement: isIdentical ? 'identical' : judged({ delta, before, spread, tolerance }),
  };
}

/**
 * Returns the value of a run that is compared: for the decisive metric, the last or best value as
 * its rule says; for other metrics, the last value.
 */
const valueOf = (summary: MetricSummary, decisive: Decisive | undefined): number =>
  decisive?.metric === summary.metric ? countedValue(summary, decisive) : summary.last;

interface Judged {
  readonly delta: number;
  readonly before: number;
  readonly spread: number | undefined;
  readonly tolerance: number | undefined;
}

function judged({ delta, before, spread, tolerance }: Judged): Judgement {
  if (tolerance !== undefined)
    return Math.abs(delta) <= tolerance * Math.abs(before)
      ? 'within_tolerance'
      : 'outside_tolerance';
  if (spread === undefined) return 'not_judged';
  return Math.abs(delta) <= 2 * spread ? 'within_spread' : 'outside_spread';
}
