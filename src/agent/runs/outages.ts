/** Records when machines with active runs of the session stop answering, and when they answer again. */
import type { Clock } from '../../base/clock.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { alarmAt } from '../../sleep/alarm.ts';
import type { Run, RunChange } from '../../runs/liveRun.ts';
import type { Runs } from '../../runs/runs.ts';
import type { MachineEvent } from '../journal/machineEvents.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import type { SessionRuns } from './sessionRuns.ts';

export interface OutagesDeps {
  readonly log: Pick<SessionLog, 'events' | 'record' | 'state'>;
  readonly runs: Pick<Runs, 'onDidChange'>;
  readonly sessionRuns: Pick<SessionRuns, 'live'>;
  readonly clock: Clock;
  /** Called when an event cannot be recorded. */
  onFailed(error: unknown): void;
}

/**
 * Minimum duration of an outage that is recorded, in milliseconds. The last sign of life may be 5 s
 * old when the machine stops answering.
 */
const minOutageMs = 10_000;
/** Delay between two looks whether a machine of an outage in the journal answers. */
const lookMs = 5_000;

export class Outages implements Disposable {
  readonly #deps: OutagesDeps;
  readonly #owned = new DisposableStore();
  /**
   * Machine id → time of its last sign of life before the outage, in milliseconds since the epoch,
   * and the timer that records the outage.
   */
  readonly #out = new Map<string, { readonly sinceMs: number; readonly timer: Disposable }>();

  constructor(deps: OutagesDeps) {
    this.#deps = deps;
    this.#owned.add(deps.runs.onDidChange((change) => this.#heard(change)));
    for (const [machineId, sinceMs] of openOutages(deps.log)) this.#lookLater(machineId, sinceMs);
  }

  dispose(): void {
    this.#owned.dispose();
    for (const { timer } of this.#out.values()) timer.dispose();
  }

  #heard({ kind, run }: RunChange): void {
    const { log } = this.#deps;
    const { id, machineId } = run.spec;
    if (!log.state.runs.has(id)) return;
    const out = this.#out.get(machineId);
    if (kind === 'unknown' && out === undefined) this.#begin(machineId);
    else if (out !== undefined && isAnswer(kind, run)) {
      out.timer.dispose();
      this.#end(machineId, out.sinceMs);
    }
  }

  /**
   * Looks later whether the machine has answered. A machine that answers the first question of this
   * process is not reported as recovered.
   */
  #lookLater(machineId: string, sinceMs: number): void {
    const { clock } = this.#deps;
    const timer = alarmAt(clock, clock.now() + lookMs, () => {
      if (this.#hasAnswered(machineId)) this.#end(machineId, sinceMs);
      else this.#lookLater(machineId, sinceMs);
    });
    this.#out.set(machineId, { sinceMs, timer });
  }

  #hasAnswered(machineId: string): boolean {
    return this.#deps.sessionRuns
      .live()
      .some(
        ({ spec, lastAnswerMs, liveness }) =>
          spec.machineId === machineId && lastAnswerMs !== undefined && liveness.kind !== 'unknown',
      );
  }

  #begin(machineId: string): void {
    const sinceMs = this.#lastAnswerMs(machineId);
    const timer = alarmAt(this.#deps.clock, sinceMs + minOutageMs, () =>
      this.#record({
        type: 'machine.silent',
        machineId,
        fromMs: sinceMs,
        runs: this.#runsOn(machineId),
      }),
    );
    this.#out.set(machineId, { sinceMs, timer });
  }

  #runsOn(machineId: string): number {
    return this.#deps.sessionRuns.live().filter(({ spec }) => spec.machineId === machineId).length;
  }

  #record(event: MachineEvent): void {
    const { log, onFailed } = this.#deps;
    log.record(event).catch((error: unknown) => onFailed(error));
  }

  /** Returns when the machine last gave a sign of life to a run of the session. */
  #lastAnswerMs(machineId: string): number {
    const { clock, sessionRuns } = this.#deps;
    const answers = sessionRuns
      .live()
      .flatMap(({ spec, lastAnswerMs }) =>
        spec.machineId === machineId && lastAnswerMs !== undefined ? [lastAnswerMs] : [],
      );
    return answers.length > 0 ? Math.max(...answers) : clock.now();
  }

  #end(machineId: string, fromMs: number): void {
    this.#out.delete(machineId);
    const toMs = this.#deps.clock.now();
    if (toMs - fromMs < minOutageMs) return;
    const runs = this.#runsOn(machineId);
    this.#record({ type: 'machine.out_of_reach', machineId, fromMs, toMs, runs });
  }
}

/** Returns whether a change shows that the machine answers. */
const isAnswer = (kind: RunChange['kind'], { liveness }: Run): boolean =>
  kind === 'recovered' || (kind === 'ended' && liveness.kind === 'ended');

/**
 * Returns the outages in the journal that have not ended, on machines with active runs: machine id →
 * last sign of life.
 */
function openOutages({ events, state }: OutagesDeps['log']): ReadonlyMap<string, number> {
  const open = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'machine.silent') open.set(event.machineId, event.fromMs);
    if (event.type === 'machine.out_of_reach') open.delete(event.machineId);
  }
  const active = new Set(
    [...state.runs.values()].flatMap(({ spec, verdict, notStarted }) =>
      verdict === undefined && notStarted === undefined ? [spec.machineId] : [],
    ),
  );
  return new Map([...open].filter(([machineId]) => active.has(machineId)));
}
