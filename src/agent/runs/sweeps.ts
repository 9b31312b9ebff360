/**
 * The sweeps of a session, and its single runs that wait in line. Launches points and runs when
 * machines have free slots or GPUs, in the order of the line and without model calls. The points to
 * launch are derived from the journal alone (the plan, and the runs planned for it), so a process
 * that dies at any time neither loses a point nor runs one twice. Sweeps of a paused session
 * continue, since they need no model. When the session ends or its minutes are used up, no more
 * points are launched. A run on a machine that does not answer is treated as running.
 */
import type { Clock } from '../../base/clock.ts';
import { delay } from '../../base/clock.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import type { LedgerRow } from '../../experiments/ledger.ts';
import type { Machines } from '../../machines/machine.ts';
import type { RunSpec } from '../../runs/run.ts';
import type { Runs } from '../../runs/runs.ts';
import type { SweepEndReason, SweepPlan } from '../../runs/sweep.ts';
import { budgetEndMs } from '../budget/measures.ts';
import type { JournalEvent } from '../journal/events.ts';
import type { EventOf } from '../journal/describeEvent.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import type { RunState, SessionState, SweepState } from '../journal/state.ts';
import { ledgerOf } from './sessionLedger.ts';
import type { SessionRuns } from './sessionRuns.ts';
import { isScheduler, SweepLane } from './sweepLane.ts';
import type { Standstills } from './standstills.ts';
import { SweepLauncher } from './sweepLauncher.ts';
import { isWaiting, lineOf } from './line.ts';
import { pauseOf } from './pausedSweep.ts';
import { isPaused, progressOf, runsOfSweep } from './sweepProgress.ts';
import { endedBy, nextStep, type SweepSituation } from './sweepSchedule.ts';
import { sweepTable, type SweepView } from './sweepTable.ts';

export interface SweepsDeps {
  readonly log: SessionLog;
  readonly sessionRuns: SessionRuns;
  readonly runs: Pick<Runs, 'get'>;
  readonly machines: Machines;
  readonly clock: Clock;
  readonly standstills: Pick<Standstills, 'alarmAt' | 'look'>;
  /**
   * Called with an error that is not a failure of a machine, for example when an event cannot be
   * recorded.
   */
  onFailed(error: unknown): void;
}

/** Maximum time to wait for launches in progress, in milliseconds. */
const launchMs = 10_000;

const endText = {
  session_ended: 'the session had ended',
  budget: 'the minutes of the session were used up',
} as const;

export class Sweeps implements Disposable {
  readonly #deps: SweepsDeps;
  readonly #owned = new DisposableStore();
  readonly #lanes = new Map<string, SweepLane>();
  readonly #launcher: SweepLauncher;
  /** Launches in progress → id of their sweep or single run. */
  readonly #working = new Map<Promise<void>, string>();
  readonly #ending = new Map<string, Promise<void>>();
  /** Ids of the sweeps whose pause is being recorded. */
  readonly #pausing = new Set<string>();
  #isOpen = false;

  constructor(deps: SweepsDeps) {
    this.#deps = deps;
    this.#launcher = new SweepLauncher({
      ...deps,
      isOpen: () => this.#isOpen,
      onFailed: (error) => this.#fail(error),
    });
    this.#owned.add(deps.log.onDidRecord((event) => this.#heard(event)));
  }

  /** Continues the sweeps in the journal. Must be called after the session's runs are adopted. */
  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    const endMs = (): number | undefined => budgetEndMs(this.#state);
    this.#owned.add(this.#deps.standstills.alarmAt(endMs, () => this.#pump()));
    this.#pump();
  }

  /**
   * Records the plan and launches points on machines with room. If the same tool call started a
   * sweep before, returns that sweep.
   */
  async start(
    plan: Omit<SweepPlan, 'id'>,
    callId: string,
    signal: AbortSignal,
  ): Promise<SweepState> {
    const existing = [...this.#state.sweeps.values()].find((sweep) => sweep.callId === callId);
    const id = existing?.plan.id ?? `s${this.#state.sweeps.size + 1}`;
    if (existing === undefined)
      await this.#deps.log.record({ type: 'sweep.started', plan: { id, ...plan }, callId });
    this.#pump();
    await this.#idle(id, signal);
    return this.#sweep(id);
  }

  /**
   * Ends a sweep: launches no more points. Resolves when the end is recorded, after waiting a
   * limited time for launches in progress.
   */
  async stop(id: string): Promise<void> {
    if (this.#sweep(id).end === undefined) await this.#end(this.#sweep(id), 'stopped');
    await this.#idle(id);
  }

  /** Continues a paused sweep. Resolves with false if it was not paused. */
  async resume(id: string): Promise<boolean> {
    if (!isPaused(this.#sweep(id))) return false;
    await this.#deps.log.record({ type: 'sweep.resumed', sweepId: id });
    return true;
  }

  /**
   * Takes a run out of the line. Resolves with false if the run has started, or may have started,
   * when the launch in progress has ended.
   */
  async cancel(spec: RunSpec): Promise<boolean> {
    await this.#idle(spec.id);
    const run = this.#state.runs.get(spec.id);
    return (
      run !== undefined &&
      isWaiting(run) &&
      (await this.#launcher.cancel(spec, 'it was taken out of the line'))
    );
  }

  /** Stops the active sweeps. */
  async stopAll(): Promise<void> {
    await Promise.all(this.#active().map(({ plan }) => this.stop(plan.id)));
  }

  /** Returns the runs of a sweep that have not ended. */
  going(id: string): readonly RunState[] {
    return progressOf(this.#state, this.#sweep(id)).going;
  }

  table(id: string): string {
    return sweepTable(this.#view(this.#sweep(id)));
  }

  /** Returns the tables of the active sweeps. */
  tables(): string[] {
    return this.#active().map((sweep) => sweepTable(this.#view(sweep)));
  }

  dispose(): void {
    this.#isOpen = false;
    this.#owned.dispose();
    for (const lane of this.#lanes.values()) lane.dispose();
  }

  /** Resolves when every `sweep.ended` event that is being written is on disk. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#ending.values());
  }

  get #state(): SessionState {
    return this.#deps.log.state;
  }

  #sweep(id: string): SweepState {
    const sweep = this.#state.sweeps.get(id);
    if (sweep === undefined) throw new Error(`There is no sweep ${id}`);
    return sweep;
  }

  #active(): SweepState[] {
    return [...this.#state.sweeps.values()].filter(({ end }) => end === undefined);
  }

  #heard(event: JournalEvent): void {
    switch (event.type) {
      case 'run.ended':
      case 'run.not_started':
        for (const lane of this.#lanes.values()) lane.runEnded();
        return this.#pump();
      case 'run.queued':
      case 'session.ended':
      case 'session.resumed':
      case 'sweep.resumed':
        return this.#pump();
      default:
    }
  }

  #pump(): void {
    if (!this.#isOpen) return;
    const recording = this.#deps.standstills.look();
    if (recording !== undefined) return void recording.then(() => this.#pump());
    for (const one of lineOf(this.#state))
      if (one.kind === 'sweep') this.#feed(one.sweep);
      else this.#feedRun(one.run.spec);
  }

  /** Starts a waiting run if its machine can take it, or takes it out of the line at the end. */
  #feedRun(spec: RunSpec): void {
    if (this.#launcher.isStarting(spec.id)) return;
    const end = endedBy(this.#state, this.#deps.clock.now());
    const lane = this.#lane(spec.machineId);
    if (end !== undefined)
      this.#launcher.cancel(spec, endText[end]).catch((error: unknown) => this.#fail(error));
    else if (lane.isOpen) this.#track(spec.id, this.#launcher.launchQueued(spec, lane));
  }

  #track(id: string, work: Promise<void>): void {
    const working = work.finally(() => {
      this.#working.delete(working);
      this.#pump();
    });
    this.#working.set(working, id);
  }

  /** Starts every launch that is possible for a sweep now. */
  #feed(sweep: SweepState): void {
    const { plan } = sweep;
    if (this.#pause(sweep)) return;
    for (;;) {
      const step = nextStep(this.#situation(sweep));
      if (step.kind === 'wait') return;
      if (step.kind === 'end') {
        this.#end(sweep, step.why).catch((error: unknown) => this.#fail(error));
        return;
      }
      const { work } = step;
      this.#track(plan.id, this.#launcher.launch(plan, this.#lane(work.machineId), work));
    }
  }

  /** Pauses a sweep whose first points failed alike. Returns whether it is being paused. */
  #pause(sweep: SweepState): boolean {
    const { id } = sweep.plan;
    const found = this.#pausing.has(id)
      ? undefined
      : pauseOf(this.#state, sweep, this.#deps.log.events);
    if (found !== undefined) {
      this.#pausing.add(id);
      this.#deps.log
        .record({ type: 'sweep.paused', sweepId: id, ...found })
        .catch((error: unknown) => this.#fail(error))
        .finally(() => this.#pausing.delete(id));
    }
    return this.#pausing.has(id);
  }

  #situation(sweep: SweepState): SweepSituation {
    const { id, machineIds } = sweep.plan;
    const { machines, runs, clock } = this.#deps;
    return {
      state: this.#state,
      sweep,
      nowMs: clock.now(),
      open: machineIds.filter((machineId) => this.#lane(machineId).isOpen),
      isScheduler: (machineId) =>
        machines.list().some((machine) => machine.id === machineId && isScheduler(machine)),
      isTaken: (index) => this.#launcher.isTaken(id, index),
      isFollowed: (runId) => runs.get(runId) !== undefined,
    };
  }

  #lane(machineId: string): SweepLane {
    const lane =
      this.#lanes.get(machineId) ?? new SweepLane(machineId, this.#deps.clock, () => this.#pump());
    this.#lanes.set(machineId, lane);
    return lane;
  }

  #end(sweep: SweepState, why: SweepEndReason): Promise<void> {
    const { id } = sweep.plan;
    const ending =
      this.#ending.get(id) ??
      this.#deps.log.record({
        type: 'sweep.ended',
        sweepId: id,
        why,
        text: sweepTable(this.#view(sweep), why),
      });
    this.#ending.set(id, ending);
    ending.catch(() => this.#ending.delete(id));
    return ending;
  }

  #view(sweep: SweepState): SweepView {
    const { log, sessionRuns } = this.#deps;
    const { machineIds } = sweep.plan;
    const runs = runsOfSweep(this.#state, sweep);
    const endOf = ({ runId }: LedgerRow) =>
      log.events.find((event) => event.type === 'run.ended' && event.runId === runId) as
        EventOf<'run.ended'> | undefined;
    return {
      state: this.#state,
      sweep,
      ledger: ledgerOf({ ...this.#state, runs }, (run) => sessionRuns.summaries(run)),
      all: sessionRuns.ledger().experiments,
      problems: machineIds.flatMap((each) => {
        const problem = this.#lanes.get(each)?.problem;
        return problem === undefined ? [] : [`${each}: ${problem}`];
      }),
      tail: (row) => endOf(row)?.outputTail,
      nearestLine: (row) => endOf(row)?.nearestLine,
    };
  }

  /** Resolves when no launch of the sweep is in progress, or after `launchMs`. */
  async #idle(id: string, signal?: AbortSignal): Promise<void> {
    const over = new AbortController();
    const signals = signal === undefined ? [over.signal] : [over.signal, signal];
    let isLate = false;
    const timeout = delay(this.#deps.clock, launchMs, AbortSignal.any(signals)).then(
      () => (isLate = true),
      () => (isLate = true),
    );
    const launches = (): Promise<void>[] =>
      [...this.#working].flatMap(([work, of]) => (of === id ? [work] : []));
    while (!isLate && launches().length > 0) await Promise.race([timeout, ...launches()]);
    over.abort();
  }

  #fail(error: unknown): void {
    if (this.#isOpen) this.#deps.onFailed(error);
  }
}
