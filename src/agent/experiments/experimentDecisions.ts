import { isDeepStrictEqual } from 'node:util';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { ToolFailure } from '../../base/errors.ts';
import { decisionName, type ExperimentRow } from '../../experiments/ledger.ts';
import type { Decision } from '../../experiments/experiment.ts';
import { hasCrashed, isRefused } from '../../experiments/decisionsInForce.ts';
import { repeatsOf } from '../../experiments/repeats.ts';
import { judgeTraining, readTrainingLimits } from '../../experiments/target/trainingLimits.ts';
import type { RunId } from '../../base/ids.ts';
import type {
  DecidedExperiment,
  ExperimentDecisionRequest,
} from '../../tools/experiments/expDecide.ts';
import type { JournalEvent } from '../journal/events.ts';
import { isAnswering } from '../journal/pendingCalls.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import type { SessionState } from '../journal/state.ts';
import type { SessionRuns } from '../runs/sessionRuns.ts';
import { isSweepOver } from '../runs/sweepProgress.ts';
import { experimentNamed, settingOf } from './experimentReference.ts';
import { objections } from './objections.ts';
import { resultText } from './experimentLabels.ts';
import { runName } from '../../runs/run.ts';
import type { Machines } from '../../machines/machine.ts';
import { changedFiles, changedText } from './unchangedFiles.ts';
import { unmeasuredText } from './unmeasured.ts';

export interface ExperimentDecisionsDeps {
  readonly log: SessionLog;
  readonly sessionRuns: SessionRuns;
  readonly machines: Pick<Machines, 'get'>;
  /** Called when a decision cannot be recorded. */
  onFailed(error: unknown): void;
}

/**
 * Records decisions on experiments: those of the agent, and the decision `crash`, which Helios
 * makes itself when all runs of an experiment failed.
 */
export class ExperimentDecisions implements Disposable {
  readonly #deps: ExperimentDecisionsDeps;
  readonly #owned = new DisposableStore();
  readonly #deciding = new Set<string>();
  /** Experiments of which a run or a sweep ended and that are not judged yet. */
  readonly #changed = new Set<string>();

  constructor(deps: ExperimentDecisionsDeps) {
    this.#deps = deps;
    this.#owned.add(deps.log.onDidRecord((event) => this.#heard(event)));
  }

  /** Records `crash` for experiments that crashed while no process owned the session. */
  open(): void {
    for (const id of this.#state.experiments.keys()) this.#decideCrash(id);
    for (const [id, { verdict }] of this.#state.runs) if (verdict) this.#refuseOverLimit(id);
  }

  /**
   * Records a decision of the agent. `experiment` is an id, `experiment 7` or `7`. Rejects with
   * `ToolFailure` for an unknown experiment or run, and for an experiment or a setting with active
   * runs or unlaunched points.
   */
  async decide({
    experiment,
    decision,
    why,
    runs,
  }: ExperimentDecisionRequest): Promise<DecidedExperiment> {
    const ledger = this.#deps.sessionRuns.ledger();
    const whole = experimentNamed(ledger, experiment);
    const meant = runs ?? (decision === 'keep' ? runsOfBest(whole) : undefined);
    const row = meant === undefined ? whole : settingOf(whole, meant, ledger);
    const going = row.runs
      .filter(({ verdict }) => verdict === undefined)
      .map(({ number }) => runName(number));
    if (going.length > 0)
      throw new ToolFailure(
        `Experiment ${row.id} is still running (${going.slice(0, 5).join(', ')}): sleep until it is over, then decide. To give it up, end its runs with kill_task first.`,
      );
    if (runs === undefined && this.#hasWaitingPoints(row.id))
      throw new ToolFailure(
        `Points of experiment ${row.id} have not run yet: sleep until its sweep is over, then decide.`,
      );
    if (decision === 'keep' || decision === 'reference') await this.#refuseChanged(row);
    const { warnings, isProvisional } = objections(row, decision, {
      ledger,
      target: this.#state.target,
    });
    const decided = {
      decision,
      why,
      by: 'agent' as const,
      ...(meant !== undefined && { runs: decidedRuns(row, decision) }),
      ...(isProvisional && { isProvisional }),
    };
    const { atMs: _, ...last } = row.decisions.at(-1) ?? { atMs: 0 };
    if (!isDeepStrictEqual(last, decided))
      await this.#deps.log.record({
        type: 'experiment.decided',
        experimentId: row.id,
        ...decided,
      });
    const unmeasured = unmeasuredText(why, { state: this.#state, ledger });
    return {
      id: row.id,
      decision: decisionName(decided),
      result: resultText(row),
      warnings,
      unmeasured,
    };
  }

  dispose(): void {
    this.#owned.dispose();
  }

  get #state(): SessionState {
    return this.#deps.log.state;
  }

  /**
   * Rejects with `ToolFailure` if the engine decided that the experiment is invalid, or if a file
   * that the goal requires to stay unchanged differs now.
   */
  async #refuseChanged({ id, plan, decisions, runs: own }: ExperimentRow): Promise<void> {
    const before = decisions.find(
      (one) =>
        isRefused(one) &&
        (one.runs === undefined || own.every(({ number }) => one.runs?.includes(number))),
    );
    if (before !== undefined)
      throw new ToolFailure(`Experiment ${id} is invalid: ${before.why}. Decide invalid.`);
    if (plan === undefined) return;
    const machine = this.#deps.machines.get(plan.machineId);
    const changed = await changedFiles(this.#state.requirements ?? {}, machine, plan);
    if (changed.length > 0)
      throw new ToolFailure(
        `Not decided: in ${plan.cwd}, ${changedText(changed)}. Restore it; if a run of ${id} changed it, decide invalid.`,
      );
  }

  #hasWaitingPoints(id: string): boolean {
    return [...this.#state.sweeps.values()].some(
      ({ plan }) => plan.experimentId === id && !isSweepOver(this.#state, plan.id),
    );
  }

  /**
   * Notes experiments that may be over. Judges them once the agent has answered, because its reply
   * may decide them.
   */
  #heard(event: JournalEvent): void {
    if (event.type === 'run.ended') this.#refuseOverLimit(event.runId);
    const id = this.#changedBy(event);
    if (id !== undefined) this.#changed.add(id);
    const { state, events } = this.#deps.log;
    if (this.#changed.size === 0 || isAnswering(state, events)) return;
    for (const each of this.#changed) this.#decideCrash(each);
    this.#changed.clear();
  }

  #changedBy(event: JournalEvent): string | undefined {
    if (event.type === 'run.ended' || event.type === 'run.not_started')
      return this.#state.runs.get(event.runId)?.spec.experimentId;
    if (event.type === 'sweep.ended')
      return this.#state.sweeps.get(event.sweepId)?.plan.experimentId;
    return undefined;
  }

  /**
   * Records the decision `invalid` on a run that breaks a limit of the goal on its training, so that it is no evidence. Does nothing once a message of the user names such an amount: it may
   * have changed the limit.
   */
  #refuseOverLimit(runId: RunId): void {
    const { state, events } = this.#deps.log;
    const { spec, verdict, metrics } = state.runs.get(runId) ?? {};
    const record = state.experiments.get(spec?.experimentId ?? '');
    if (spec === undefined || verdict?.kind !== 'ok' || record === undefined) return;
    if (record.decisions.some((one) => isRefused(one) && one.runs?.includes(spec.number))) return;
    const judged = judgeTraining(readTrainingLimits(state.goal), { launched: spec, metrics });
    if (judged?.isOver !== true || events.some(namesAmount)) return;
    this.#deps.log
      .record({
        type: 'experiment.decided',
        experimentId: record.plan.id,
        decision: 'invalid',
        why: judged.why,
        by: 'engine',
        runs: [spec.number],
      })
      .catch((error: unknown) => this.#deps.onFailed(error));
  }

  /**
   * Records the decision `crash` if every run of the experiment failed, because no judgement is
   * then necessary.
   */
  #decideCrash(id: string): void {
    const record = this.#state.experiments.get(id);
    if (record === undefined || record.decisions.length > 0) return;
    if (this.#deciding.has(id) || this.#hasWaitingPoints(id)) return;
    const runs = [...this.#state.runs.values()].filter(
      ({ spec, notStarted }) => spec.experimentId === id && notStarted === undefined,
    );
    if (!hasCrashed(runs)) return;
    this.#deciding.add(id);
    const why = runs.length === 1 ? 'its run failed' : `all ${runs.length} runs of it failed`;
    this.#deps.log
      .record({
        type: 'experiment.decided',
        experimentId: id,
        decision: 'crash',
        why,
        by: 'engine',
      })
      .catch((error: unknown) => this.#deps.onFailed(error))
      .finally(() => this.#deciding.delete(id));
  }
}

/** Returns the numbers of the runs that a decision names. Runs that failed support no `keep`. */
function decidedRuns({ runs }: ExperimentRow, decision: Decision): readonly number[] {
  const ok = decision === 'keep' ? runs.filter(({ verdict }) => verdict?.kind === 'ok') : [];
  return (ok.length === 0 ? runs : ok).map(({ number }) => number);
}

/** Returns whether a message of the user after the goal names an amount of training. */
const namesAmount = (event: JournalEvent): boolean =>
  event.type === 'message.added' &&
  (event.origin === 'person' || event.origin === 'resume') &&
  /epoch|steps|schritte/i.test(event.text);

/**
 * Returns the runs of the best setting of an experiment with several settings; `undefined` if it has
 * only one, or no result.
 */
function runsOfBest({ runs, result }: ExperimentRow): readonly number[] | undefined {
  const own = new Set(runs.map(({ runId }) => runId));
  const best = (result?.runs ?? []).filter(({ runId }) => own.has(runId));
  return best.length === 0 || repeatsOf(runs).length < 2
    ? undefined
    : best.map(({ number }) => number);
}
