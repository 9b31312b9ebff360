/**
 * Puts a session to sleep: arms the recorded triggers. On waking, records the reason and what
 * happened meanwhile.
 */
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { alarmAt } from '../../sleep/alarm.ts';
import { digestText } from '../../sleep/digest.ts';
import type { Sleeper, Wake } from '../../sleep/sleeper.ts';
import type { SleepRequest, Trigger } from '../../sleep/trigger.ts';
import { budgetAlarm } from '../budget/measures.ts';
import { unheardAlarms, type AlarmNews } from '../runs/alarms.ts';
import { isUserUnheard } from '../context/history.ts';
import { digestOf } from './sessionDigest.ts';
import { isSweepOver } from '../runs/sweepProgress.ts';
import type { SessionRuns } from '../runs/sessionRuns.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import type { Sweeps } from '../runs/sweeps.ts';

export interface WaitingDeps {
  readonly log: SessionLog;
  readonly sessionRuns: SessionRuns;
  readonly sweeps: Sweeps;
  readonly sleeper: Sleeper;
  readonly clock: Clock;
  /** Called when the session is awake again and should continue. */
  onAwake(): void;
  /** Called when the end of a sleep cannot be recorded. */
  onFailed(error: unknown): void;
}

export class Waiting implements Disposable {
  readonly #deps: WaitingDeps;
  #armed: Disposable | undefined;
  #budgetTimer: Disposable | undefined;
  /** A wake that has fired and is not recorded yet. Whatever ends the sleep first ends it alone. */
  #heard: Wake | undefined;
  #recording: Promise<void> = Promise.resolve();

  constructor(deps: WaitingDeps) {
    this.#deps = deps;
  }

  /**
   * Arms the sleep of the current state. Does nothing when the session is awake or the sleep is
   * armed.
   */
  arm(): void {
    const { log, sleeper, clock } = this.#deps;
    const sleep = log.state.sleep;
    if (sleep === undefined || this.#armed !== undefined || this.#heard !== undefined) return;
    this.#armed = sleeper.arm(sleep.request, (wake) => this.#woken(wake));
    // The user wrote while the model was choosing to sleep, so the model has not read it.
    if (isUserUnheard(log.events))
      return this.#woken({ why: 'person', met: [], unmet: [], errors: [] });
    // An alarm of a run that is being killed is reported when that run has ended.
    const isSettled = ({ runId, action }: AlarmNews): boolean =>
      action !== 'kill' || log.state.runs.get(runId)?.verdict !== undefined;
    if (unheardAlarms(log.events).some(isSettled)) return this.alarm();
    const alarm = budgetAlarm(log.state);
    // Minutes count while asleep. On waking, the loop ends the session itself, or reports that the
    // experiment is over.
    if (alarm !== undefined) {
      const wake: Wake = { why: 'deadline', met: [alarm.what], unmet: [], errors: [] };
      this.#budgetTimer = alarmAt(clock, alarm.atMs, () => this.#woken(wake));
    }
  }

  /** Ends a sleep because of alarms that the agent has not read; does nothing without any. */
  alarm(): void {
    const met = unheardAlarms(this.#deps.log.events).map(({ text }) => text);
    if (met.length > 0) this.#woken({ why: 'alarm', met, unmet: [], errors: [] });
  }

  /** Ends a sleep because of the user. */
  async end(detail: string): Promise<void> {
    await this.halt();
    const sleep = this.#deps.log.state.sleep;
    if (sleep !== undefined)
      await this.#deps.log.recordNow({
        type: 'sleep.ended',
        sleepId: sleep.sleepId,
        why: 'person',
        detail,
      });
  }

  /** Sleeps until the monitor's next check-in or the end of a run. False when no monitor is set. */
  async untilCheckIn(sleepId: string): Promise<boolean> {
    const { log, sessionRuns, clock } = this.#deps;
    const monitor = log.state.monitor;
    if (monitor === undefined) return false;
    const runs = sessionRuns.live().filter(({ spec }) => spec.sweep === undefined);
    const exits = [
      ...runs.map(({ spec }): Trigger => ({
        type: 'process_exit',
        runId: spec.id,
        name: `run ${spec.number}`,
      })),
      ...[...log.state.sweeps.keys()]
        .filter((id) => !isSweepOver(log.state, id))
        .map((sweepId): Trigger => ({ type: 'sweep_end', sweepId })),
    ];
    const request: SleepRequest = {
      reason: `next check-in: ${monitor.goal}`,
      logic: 'any',
      triggers: [{ type: 'timer', atMs: clock.now() + monitor.intervalMs }, ...exits],
    };
    await log.record({ type: 'sleep.started', sleepId, request, callId: '' });
    return true;
  }

  /** Disarms. Resolves when a pending wake is in the journal. */
  async halt(): Promise<void> {
    this.disarm();
    await this.#recording;
  }

  disarm(): void {
    this.#heard = undefined;
    this.#armed?.dispose();
    this.#armed = undefined;
    this.#budgetTimer?.dispose();
    this.#budgetTimer = undefined;
  }

  dispose(): void {
    this.disarm();
  }

  #woken(wake: Wake): void {
    if (this.#armed === undefined) return;
    this.disarm();
    this.#heard = wake;
    // The sleep often ends because a run ended: the journal records that end first.
    void this.#deps.sessionRuns.settle().then(() => {
      if (this.#heard !== wake) return;
      this.#heard = undefined;
      this.#recording = this.#recordWake(wake).then(
        () => this.#deps.onAwake(),
        (error: unknown) => this.#deps.onFailed(error),
      );
    });
  }

  async #recordWake(wake: Wake): Promise<void> {
    const { log, sessionRuns, sweeps, clock } = this.#deps;
    const { sleep } = log.state;
    if (sleep === undefined) return;
    const detail = wake.met.join(', ') || wake.why;
    await log.record({ type: 'sleep.ended', sleepId: sleep.sleepId, why: wake.why, detail });
    if (wake.why === 'person') return;
    const origin = sleep.isCheckIn ? 'monitor' : 'wake';
    const text = digestText(digestOf({ wake, sleep, log, sessionRuns, sweeps, clock }));
    await log.record({ type: 'message.added', origin, text });
  }
}
