/** The ledger of a session, built from its state. */
import { buildLedger } from '../../experiments/buildLedger.ts';
import type { Ledger, LedgerEntry, ThinkingCost } from '../../experiments/ledger.ts';
import { targetIn } from '../../experiments/target/judgeTarget.ts';
import { targetStanding } from '../../experiments/target/neverRead.ts';
import { targetText } from '../../experiments/target/target.ts';
import type { MetricSummary } from '../../metrics/metric.ts';
import { handleOf } from '../../runs/run.ts';
import { costsByRun } from '../budget/costs.ts';
import { seriousAlarm } from '../journal/runText.ts';
import type { RunState, SessionState } from '../journal/state.ts';

/** Builds the ledger from a state. `summaries` returns the metrics of a run. */
export function ledgerOf(
  state: SessionState,
  summaries: (run: RunState) => readonly MetricSummary[],
): Ledger {
  const costs = costsByRun(state);
  const launches = launchesWithSeed(state);
  const entries = [...state.runs.values()]
    .filter((run) => run.notStarted === undefined)
    .map((run) => ({
      ...entryOf(run, summaries(run), costs.get(run.spec.id)),
      ...launches.get(run.spec.command),
    }));
  return buildLedger(entries, state);
}

/**
 * Builds the ledger of a session again only after its state or the metrics of a run have changed:
 * several views, the tools and the watchdogs ask for it at each change.
 */
export class GrowingLedger {
  #state: SessionState | undefined;
  #metrics: readonly (readonly MetricSummary[])[] = [];
  #ledger: Ledger | undefined;

  /** `summaries` returns the same list until the metrics of the run change. */
  of(state: SessionState, summaries: (run: RunState) => readonly MetricSummary[]): Ledger {
    const runs = [...state.runs.values()];
    const metrics = runs.map(summaries);
    const isSame =
      state === this.#state && metrics.every((list, index) => list === this.#metrics[index]);
    if (isSame && this.#ledger !== undefined) return this.#ledger;
    const byRun = new Map(runs.map((run, index) => [run, metrics[index] ?? []]));
    this.#state = state;
    this.#metrics = metrics;
    this.#ledger = ledgerOf(state, (run) => byRun.get(run) ?? []);
    return this.#ledger;
  }
}

/** Returns the seeds of commands that do not name them in an option: command → seed and setting. */
function launchesWithSeed({
  sweeps,
}: SessionState): ReadonlyMap<string, Pick<LedgerEntry, 'seed' | 'setting'>> {
  const points = [...sweeps.values()].flatMap(({ plan }) => plan.points);
  return new Map(
    points.flatMap(({ command, setting, params: { seed } }) =>
      setting === undefined ? [] : [[command, { setting, seed: String(seed) }] as const],
    ),
  );
}

/**
 * Formats the target with the baselines, measured by runs that have ended, and the numbers that
 * follow from them; `undefined` without a target.
 */
export const targetTextOf = (state: SessionState): string | undefined =>
  state.target && targetIn(state.target, endedLedgerOf(state));

/** Builds the ledger with the metrics of runs that have ended. */
const endedLedgerOf = (state: SessionState): Ledger => ledgerOf(state, ({ metrics }) => metrics);

/**
 * Says what the target is, with its baseline and threshold, and which of its metrics no run printed.
 */
export const targetSentence = (state: SessionState): string =>
  state.target === undefined
    ? 'No target was read from the goal.'
    : `The target is ${targetStanding(state.target, endedLedgerOf(state))}.`;

/** Says what the target is, and how to change it. */
export const targetHelp = (state: SessionState): string =>
  state.target === undefined
    ? `${targetSentence(state)} State one: /target val_loss < 0.3, mean over seeds 0-2 (best value of each run)`
    : `${targetSentence(state)} To change it: /target ${targetText(state.target)}`;

function entryOf(
  run: RunState,
  metrics: readonly MetricSummary[],
  cost: ThinkingCost | undefined,
): LedgerEntry {
  const { spec, process, verdict, endedMs, envId, alarms, annotation } = run;
  const alarm = seriousAlarm(alarms) ?? alarms.at(-1);
  return {
    runId: spec.id,
    number: spec.number,
    machineId: spec.machineId,
    handle: handleOf(spec, process),
    label: spec.label,
    command: spec.command,
    metrics,
    ...(verdict && { verdict }),
    ...(process && { startedMs: process.startedMs }),
    ...(endedMs !== undefined && { endedMs }),
    ...(envId !== undefined && { envId }),
    ...(cost && { cost }),
    ...(annotation && { annotation }),
    ...(spec.experimentId !== undefined && { experimentId: spec.experimentId }),
    ...(spec.isReproduction && { isReproduction: true }),
    ...(spec.sweep && { sweepId: spec.sweep.id }),
    ...(spec.limit && { limit: spec.limit }),
    ...(alarm && { alarm: { detail: alarm.detail, action: alarm.action } }),
  };
}
