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
  readonly log: Pick<SessionLog, 'record' | 'state'>;
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
