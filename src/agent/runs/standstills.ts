/**
 * Records when this process stood still: nobody worked on the session then, and limits in minutes do
 * not count that time.
 */
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { localId } from '../../machines/machineEntry.ts';
import { alarmAt } from '../../sleep/alarm.ts';
import type { AwakeTime, Standstill } from '../../storage/awakeTime.ts';
import type { SessionLog } from '../journal/sessionLog.ts';

export interface StandstillsDeps {
  readonly log: Pick<SessionLog, 'record' | 'state'>;
  readonly clock: Clock;
  readonly awakeTime: Pick<AwakeTime, 'look' | 'onDidStandStill'>;
  /** Called when an event cannot be recorded. */
  onFailed(error: unknown): void;
}

/** Minimum duration that is recorded: a busy computer may be late by some seconds. */
const minStandstillMs = 60_000;

export class Standstills implements Disposable {
  readonly #deps: StandstillsDeps;
  readonly #openedMs: number;
  readonly #listening: Disposable;
  #recording: Promise<void> | undefined;

  constructor(deps: StandstillsDeps) {
    this.#deps = deps;
    this.#openedMs = deps.clock.now();
    this.#listening = deps.awakeTime.onDidStandStill((standstill) => this.#heard(standstill));
  }

  /**
   * Finds out now whether this process stood still. Must be called before limits in minutes are
   * checked: `undefined` if the state has all such times, otherwise resolves when it has them.
   */
  look(): Promise<void> | undefined {
    this.#deps.awakeTime.look();
    return this.#recording;
  }

  /**
   * Calls `callback` when `endMs` is reached, a time that moves with the time that does not count.
   * Never calls it when `endMs` returns `undefined` now.
   */
  alarmAt(endMs: () => number | undefined, callback: () => void): Disposable {
    const dueMs = endMs();
    let isDisposed = false;
    let alarm: Disposable | undefined;
    const act = (): void => {
      if (isDisposed) return;
      const movedMs = endMs();
      if (dueMs === undefined || movedMs === undefined || movedMs <= dueMs) callback();
      else alarm = this.alarmAt(endMs, callback);
    };
    if (dueMs !== undefined)
      alarm = alarmAt(this.#deps.clock, dueMs, () => {
        const recording = this.look();
        if (recording === undefined) act();
        else void recording.then(act);
      });
    return {
      dispose() {
        isDisposed = true;
        alarm?.dispose();
      },
    };
  }

  dispose(): void {
    this.#listening.dispose();
  }

  #heard({ durationMs, isAsleep }: Standstill): void {
    const { log, clock, onFailed } = this.#deps;
    const toMs = clock.now();
    const fromMs = Math.max(toMs - durationMs, this.#openedMs);
    if (toMs - fromMs < minStandstillMs || log.state.phase === 'ended') return;
    const runs = isAsleep ? this.#localRuns(fromMs) : 0;
    const recording = log
      .record({ type: 'session.stood_still', fromMs, toMs, isAsleep, runs })
      .catch(onFailed)
      .finally(() => {
        if (this.#recording === recording) this.#recording = undefined;
      });
    this.#recording = recording;
  }

  /** Returns the number of active runs on this computer that started before `fromMs`. */
  #localRuns(fromMs: number): number {
    return [...this.#deps.log.state.runs.values()].filter(
      ({ spec, process, verdict }) =>
        spec.machineId === localId &&
        verdict === undefined &&
        process !== undefined &&
        process.startedMs <= fromMs,
    ).length;
  }
}
