/**
 * The sweeps of a session: keeps points running until all are over, without a token. What is to be launched is derived
 * from the journal alone (the plan, and the runs that were planned for it), so a process that dies at any moment neither
 * loses a point nor runs one twice. A paused session's sweeps go on, since they ask no model; when the session ends or
 * its minutes are over, no more points are launched. A run on a machine that does not answer counts as running.
 */
import type { Clock } from '../../base/clock.ts';
import { delay } from '../../base/clock.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import type { RunId } from '../../base/ids.ts';
import { MachineFailure, type Machine, type Machines } from '../../machines/machine.ts';
import type { RunSpec } from '../../runs/run.ts';
import { LaunchFailure } from '../../runs/launchFailure.ts';
import type { Runs } from '../../runs/runs.ts';
import type { SweepEndReason, SweepPlan } from '../../runs/sweep.ts';
import { alarmAt } from '../../sleep/alarm.ts';
import { machinePath } from '../../tools/parameters/machinePath.ts';
import { budgetEndMs } from '../budget/measures.ts';
import type { JournalEvent } from '../journal/events.ts';
import { ledgerOf, type SessionRuns } from './sessionRuns.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import type { RunState, SessionState, SweepState } from '../journal/state.ts';
import { isScheduler, roomFor, SweepLane } from './sweepLane.ts';
import { progressOf } from './sweepProgress.ts';
import { sweepTable, type SweepView } from './sweepTable.ts';

export interface SweepsDeps {
  readonly log: SessionLog;
  readonly sessionRuns: SessionRuns;
  readonly runs: Pick<Runs, 'get' | 'kill'>;
  readonly machines: Machines;
  readonly clock: Clock;
  /** Called when something that must be recorded cannot be. */
  onFailed(error: unknown): void;
}

/** For one machine: points to plan, and runs that were planned and are not there. */
interface Work {
  readonly lane: SweepLane;
  readonly indices: readonly number[];
  readonly specs: readonly RunSpec[];
}

/** Failures that are the machine's, not the point's: it is tried on another one, or later. */
const machineReasons: readonly string[] = ['unreachable', 'timeout', 'auth', 'host_key', 'unknown_machine', 'no_space'];
/** How long is waited for launches that are under way. */
const launchMs = 10_000;

export class Sweeps implements Disposable {
  readonly #deps: SweepsDeps;
  readonly #owned = new DisposableStore();
  readonly #lanes = new Map<string, SweepLane>();
  /** Points that are on their way to a machine: `s1/3`. */
  readonly #taken = new Set<string>();
  /** What is on its way, and of which sweep. */
  readonly #working = new Map<Promise<void>, string>();
  readonly #ending = new Map<string, Promise<void>>();
  /** Runs whose start was not confirmed: only their own machine can tell. */
  readonly #mayExist = new Set<RunId>();
  #isOpen = false;

  constructor(deps: SweepsDeps) {
    this.#deps = deps;
    this.#owned.add(deps.log.onDidRecord((event) => this.#heard(event)));
  }

  /** Goes on with what the journal says, once the runs of the session are adopted. */
  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    const endMs = budgetEndMs(this.#state);
    if (endMs !== undefined) this.#owned.add(alarmAt(this.#deps.clock, endMs, () => this.#pump()));
    this.#pump();
  }

  /** Records the plan and launches what there is room for. Asked again for the same call, it is the same sweep. */
  async start(plan: Omit<SweepPlan, 'id'>, callId: string, signal: AbortSignal): Promise<SweepState> {
    const known = [...this.#state.sweeps.values()].find((sweep) => sweep.callId === callId);
    const id = known?.plan.id ?? `s${this.#state.sweeps.size + 1}`;
    if (known === undefined) await this.#deps.log.record({ type: 'sweep.started', plan: { id, ...plan }, callId });
    this.#pump();
    await this.#idle(id, signal);
    return this.#sweep(id);
  }

  /** Launches no more points of it. Resolves when that is recorded and launches under way had their time. */
  async stop(id: string): Promise<void> {
    if (this.#sweep(id).end === undefined) await this.#end(this.#sweep(id), 'stopped');
    await this.#idle(id);
  }

  /** Stops those that go on. */
  async stopAll(): Promise<void> {
    await Promise.all(this.#active().map(({ plan }) => this.stop(plan.id)));
  }

  /** The runs of a sweep that are not over. */
  going(id: string): readonly RunState[] {
    return progressOf(this.#state, this.#sweep(id)).going;
  }

  table(id: string): string {
    return sweepTable(this.#view(this.#sweep(id)));
  }

  /** Of the sweeps that go on. */
  tables(): string[] {
    return this.#active().map((sweep) => sweepTable(this.#view(sweep)));
  }

  dispose(): void {
    this.#isOpen = false;
    this.#owned.dispose();
    for (const lane of this.#lanes.values()) lane.dispose();
  }

  /** Resolves when the ends that were being recorded are. */
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

  #isActive(id: string): boolean {
    return this.#isOpen && this.#state.sweeps.get(id)?.end === undefined;
  }

  #heard(event: JournalEvent): void {
    switch (event.type) {
      case 'run.ended':
      case 'run.not_started':
        for (const lane of this.#lanes.values()) lane.runEnded();
        return this.#pump();
      case 'session.ended':
      case 'session.resumed':
        return this.#pump();
      default:
    }
  }

  #pump(): void {
    if (this.#isOpen) for (const sweep of this.#active()) this.#feed(sweep);
  }

  #feed(sweep: SweepState): void {
    const end = this.#endOf(sweep);
    if (end !== undefined) {
      this.#end(sweep, end).catch((error: unknown) => this.#fail(error));
      return;
    }
    for (;;) {
      const work = this.#next(sweep);
      if (work === undefined) return;
      const working = this.#send(sweep.plan, work).finally(() => {
        this.#working.delete(working);
        this.#pump();
      });
      this.#working.set(working, sweep.plan.id);
    }
  }

  #endOf(sweep: SweepState): SweepEndReason | undefined {
    if (this.#state.phase === 'ended') return 'session_ended';
    const endMs = budgetEndMs(this.#state);
    if (endMs !== undefined && this.#deps.clock.now() >= endMs) return 'budget';
    const { waiting, going } = progressOf(this.#state, sweep);
    return waiting.length + going.length === 0 ? 'done' : undefined;
  }

  /** What is to be done next, and where: planned runs first, then the first waiting point where least of it runs. */
  #next(sweep: SweepState): Work | undefined {
    const { plan } = sweep;
    const { going, waiting } = progressOf(this.#state, sweep);
    const free = waiting.filter((index) => !this.#taken.has(key(plan.id, index)));
    const lanes = plan.machineIds.map((id) => this.#lane(id)).filter((lane) => lane.isOpen);
    const [scheduler] = lanes.filter(({ machineId }) => this.#isScheduler(machineId));
    const absent = going.filter((run) => this.#isAbsent(run)).map(({ spec }) => spec);
    if (scheduler !== undefined)
      return free.length + absent.length > 0 ? { lane: scheduler, indices: free, specs: absent } : undefined;
    for (const lane of lanes) {
      const spec = absent.find(({ machineId }) => machineId === lane.machineId);
      if (spec !== undefined) return { lane, indices: [], specs: [spec] };
    }
    const there = ({ machineId }: SweepLane): number => going.filter(({ spec }) => spec.machineId === machineId).length;
    const [lane] = lanes.toSorted((a, b) => there(a) - there(b));
    const count = going.length + waiting.length - free.length;
    const hasRoom = free.length > 0 && count < (plan.maxParallel ?? Infinity);
    return lane !== undefined && hasRoom ? { lane, indices: free.slice(0, 1), specs: [] } : undefined;
  }

  /** All points of a sweep go to a scheduler together. */
  #isScheduler(machineId: string): boolean {
    return this.#deps.machines.list().some((machine) => machine.id === machineId && isScheduler(machine));
  }

  /** Planned, and not there: this process, or one before it, came no further. */
  #isAbsent({ spec, process }: RunState): boolean {
    return process === undefined && this.#deps.runs.get(spec.id) === undefined;
  }

  #lane(machineId: string): SweepLane {
    const lane = this.#lanes.get(machineId) ?? new SweepLane(machineId, this.#deps.clock, () => this.#pump());
    this.#lanes.set(machineId, lane);
    return lane;
  }

  /** Never rejects. */
  async #send(plan: SweepPlan, { lane, indices, specs }: Work): Promise<void> {
    lane.begin();
    const keys = indices.map((index) => key(plan.id, index));
    for (const each of keys) this.#taken.add(each);
    try {
      const machine = this.#deps.machines.get(lane.machineId);
      await machine.ready?.({ mayAsk: true });
      const planned = [...specs, ...(await this.#planned(plan, { lane, machine, indices }))];
      if (this.#isOpen && planned.length > 0) await this.#launch(plan, lane, planned);
    } catch (error) {
      if (error instanceof MachineFailure) lane.away(error.message);
      else this.#fail(error);
    } finally {
      lane.done();
      for (const each of keys) this.#taken.delete(each);
    }
  }

  /** Nothing is planned where there is no room, or the machine does not answer. */
  async #planned(
    plan: SweepPlan,
    { lane, machine, indices }: Omit<Work, 'specs'> & { readonly machine: Machine },
  ): Promise<RunSpec[]> {
    if (indices.length === 0) return [];
    const { going } = progressOf(this.#state, this.#sweep(plan.id));
    const room = await roomFor(plan, machine, going.filter(({ spec }) => spec.machineId === machine.id).length);
    if ('full' in room) {
      lane.full(room.full);
      return [];
    }
    const cwd = plan.cwd === undefined ? undefined : await machinePath(machine, plan.cwd);
    const planned: RunSpec[] = [];
    for (const index of indices) {
      const point = plan.points[index];
      if (point === undefined || !this.#isActive(plan.id)) break;
      const request = {
        machineId: machine.id,
        command: point.command,
        label: point.label,
        sweep: { id: plan.id, index },
        ...(plan.experimentId !== undefined && { experimentId: plan.experimentId }),
      };
      const given = { metrics: plan.metrics, ...(plan.limit && { limit: plan.limit }), ...(cwd && { cwd }) };
      planned.push(await this.#deps.sessionRuns.plan({ ...request, ...given, ...room }, this.#sweep(plan.id).callId));
    }
    return planned;
  }

  async #launch(plan: SweepPlan, lane: SweepLane, specs: readonly RunSpec[]): Promise<void> {
    const { sessionRuns } = this.#deps;
    if (!this.#isActive(plan.id)) {
      for (const spec of specs) await sessionRuns.giveUp(spec.id, 'its sweep was ended before');
      return;
    }
    const outcomes = await sessionRuns.startTogether(specs, plan.maxParallel);
    for (const [index, outcome] of outcomes.entries()) {
      const spec = specs[index];
      if (outcome.status === 'fulfilled') lane.launched();
      else if (spec !== undefined && this.#isOpen) await this.#notLaunched({ plan, lane, spec }, outcome.reason);
    }
  }

  async #notLaunched(
    { plan, lane, spec }: { readonly plan: SweepPlan; readonly lane: SweepLane; readonly spec: RunSpec },
    error: unknown,
  ): Promise<void> {
    if (!(error instanceof LaunchFailure)) throw error;
    const why = error.message;
    const isFinal = error.reason === 'not_started';
    const isOfMachine = error.cause instanceof MachineFailure && machineReasons.includes(error.cause.reason);
    if (error.isBusy) lane.full(why);
    else if (!isFinal || isOfMachine) lane.away(why);
    if (!isFinal) this.#mayExist.add(spec.id);
    // It stays planned, for its own machine: asked again under the same id, it is started once.
    const isBound = this.#mayExist.has(spec.id) || plan.machineIds.length === 1;
    if (!isFinal || (isOfMachine && isBound)) return;
    await this.#deps.sessionRuns.giveUp(spec.id, why);
    if (error.isBusy || isOfMachine || spec.sweep === undefined) return;
    const { id, index } = spec.sweep;
    await this.#deps.log.record({ type: 'sweep.point_skipped', sweepId: id, index, why });
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
    const { id, machineIds } = sweep.plan;
    const runs = new Map([...this.#state.runs].filter(([, { spec }]) => spec.sweep?.id === id));
    return {
      state: this.#state,
      sweep,
      ledger: ledgerOf({ ...this.#state, runs }, (run) => sessionRuns.summaries(run)),
      problems: machineIds.flatMap((each) => {
        const problem = this.#lanes.get(each)?.problem;
        return problem === undefined ? [] : [`${each}: ${problem}`];
      }),
      tail(row) {
        const ended = log.events.find((event) => event.type === 'run.ended' && event.runId === row.runId);
        return ended?.type === 'run.ended' ? ended.outputTail : undefined;
      },
    };
  }

  /** Resolves when no launch of the sweep is under way, or after a while. */
  async #idle(id: string, signal?: AbortSignal): Promise<void> {
    const over = new AbortController();
    const signals = signal === undefined ? [over.signal] : [over.signal, signal];
    let isLate = false;
    const late = delay(this.#deps.clock, launchMs, AbortSignal.any(signals)).then(
      () => (isLate = true),
      () => (isLate = true),
    );
    const launches = (): Promise<void>[] => [...this.#working].flatMap(([work, of]) => (of === id ? [work] : []));
    while (!isLate && launches().length > 0) await Promise.race([late, ...launches()]);
    over.abort();
  }

  #fail(error: unknown): void {
    if (this.#isOpen) this.#deps.onFailed(error);
  }
}

const key = (id: string, index: number): string => `${id}/${index}`;
