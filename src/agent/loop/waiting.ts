/**
 * Puts a session to sleep: watches the triggers of the recorded sleep. When the session wakes,
 * records the reason and what happened during the sleep. A check-in of the monitor interrupts a
 * sleep; its triggers are still watched until the sleep continues or another sleep begins.
 */
import type { Ledger } from '../../experiments/ledger.ts';
import { seedNews } from './seedNews.ts';
import { targetNews } from './targetNews.ts';
import type { Clock } from '../../base/clock.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { alarmAt } from '../../sleep/alarm.ts';
import { renderDigest } from '../../sleep/digest.ts';
import type { Sleeper, Wake } from '../../sleep/sleeper.ts';
import type { SleepRequest, Trigger } from '../../sleep/trigger.ts';
import { budgetAlarm } from '../budget/measures.ts';
import { unheardAlarms, type AlarmNews } from '../runs/alarms.ts';
import { isUserUnheard } from '../context/history.ts';
import { digestOf } from './sessionDigest.ts';
import { interruptedSleep } from './interruptedSleep.ts';
import { isIdle, isWaiting } from '../runs/line.ts';
import type { Standstills } from '../runs/standstills.ts';
import { isSweepOver } from '../runs/sweepProgress.ts';
import type { SessionRuns } from '../runs/sessionRuns.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import type { SessionState } from '../journal/state.ts';
import type { Sweeps } from '../runs/sweeps.ts';
import { runName } from '../../runs/run.ts';

export interface WaitingDeps {
  readonly log: SessionLog;
  readonly sessionRuns: SessionRuns;
  readonly sweeps: Sweeps;
  readonly sleeper: Sleeper;
  readonly standstills: Pick<Standstills, 'alarmAt'>;
  readonly clock: Clock;
  /** Called when the session is awake again and should continue. */
  onAwake(): void;
  /** Called when the end of a sleep cannot be recorded. */
  onFailed(error: unknown): void;
}

type CurrentSleep = NonNullable<SessionState['sleep']>;

interface Watch {
  readonly sleepId: string;
  readonly triggers: Disposable;
  /** The wake that the triggers caused; set when they were met. */
  met?: Wake;
}

export class Waiting implements Disposable {
  readonly #deps: WaitingDeps;
  /** Watched triggers of the current sleep, or of the sleep that a check-in interrupted. */
  #watch: Watch | undefined;
  /** Timers of the current sleep; `undefined` while the session is awake. */
  #armed: DisposableStore | undefined;
  /**
   * A wake whose triggers have fired but that is not recorded yet. If something else ends the sleep
   * before the wake is recorded, the wake is dropped.
   */
  #heard: Wake | undefined;
  #recording: Promise<void> = Promise.resolve();

  constructor(deps: WaitingDeps) {
    this.#deps = deps;
  }

  /**
   * Starts to watch the triggers of the current sleep. Does nothing when the session is awake, or
   * when the triggers are already watched.
   */
  arm(): void {
    const { log } = this.#deps;
    const { sleep } = log.state;
    if (sleep === undefined || this.#armed !== undefined || this.#heard !== undefined) return;
    const armed = new DisposableStore();
    this.#armed = armed;
    const met = this.#watchTriggers(sleep);
    if (met !== undefined) return this.#woken(met);
    // The user wrote a message while the model was deciding to sleep, so the model has not read the
    // message.
    if (isUserUnheard(log.events))
      return this.#woken({
        why: 'person',
        met: ['a message that the agent has not read'],
        unmet: [],
        errors: [],
      });
    // If an alarm kills a run, wake the session only when the run has ended.
    const isSettled = ({ runId, action }: AlarmNews): boolean =>
      action !== 'kill' || runId === undefined || log.state.runs.get(runId)?.verdict !== undefined;
    if (unheardAlarms(log.events).some(isSettled)) return this.alarm();
    this.#armTimers(sleep, armed);
  }

  /**
   * Ends the sleep because of alarms that the agent has not read. Does nothing without such alarms.
   */
  alarm(): void {
    const met = unheardAlarms(this.#deps.log.events).map(({ text }) => text);
    if (met.length > 0) this.#woken({ why: 'alarm', met, unmet: [], errors: [] });
  }

  /**
   * Ends the sleep because of an action of the user. Tells the model what the runs did meanwhile,
   * unless the session `pauses`.
   */
  async end(detail: string, pauses = false): Promise<void> {
    await this.halt();
    const { log } = this.#deps;
    const { sleep } = log.state;
    if (sleep === undefined) return;
    const { sleepId } = sleep;
    await log.recordNow({ type: 'sleep.ended', sleepId, why: 'person', detail });
    if (!pauses) await this.#tell(personWake, sleep);
  }

  /**
   * Continues the sleep that a check-in interrupted. Without one, puts the session to sleep until
   * the monitor's next check-in or the end of a run. Resolves with false when the session has no
   * monitor.
   */
  async untilCheckIn(newSleepId: string): Promise<boolean> {
    const { log, sessionRuns, clock } = this.#deps;
    const interrupted = interruptedSleep(log.events);
    if (interrupted !== undefined) {
      const { sleepId, request, callId } = interrupted;
      await log.record({ type: 'sleep.started', sleepId, request, callId });
      return true;
    }
    const monitor = log.state.monitor;
    if (monitor === undefined) return false;
    const waiting = [...log.state.runs.values()].filter(isWaiting);
    const runs = [...sessionRuns.live(), ...waiting].filter(({ spec }) => spec.sweep === undefined);
    const exits = [
      ...runs.map(({ spec }): Trigger => ({
        type: 'process_exit',
        runId: spec.id,
        name: runName(spec.number),
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
    await log.record({ type: 'sleep.started', sleepId: newSleepId, request, callId: '' });
    return true;
  }

  /** Stops watching the triggers. Resolves when a wake that is being recorded is in the journal. */
  async halt(): Promise<void> {
    this.disarm();
    await this.#recording;
  }

  disarm(): void {
    this.#heard = undefined;
    this.#armed?.dispose();
    this.#armed = undefined;
    this.#watch?.triggers.dispose();
    this.#watch = undefined;
  }

  dispose(): void {
    this.disarm();
  }

  /**
   * Watches the triggers of the sleep. Returns the wake if they were met while a check-in
   * interrupted the sleep.
   */
  #watchTriggers({ sleepId, request }: CurrentSleep): Wake | undefined {
    if (this.#watch?.sleepId === sleepId) return this.#watch.met;
    this.#watch?.triggers.dispose();
    const watch: Watch = {
      sleepId,
      triggers: this.#deps.sleeper.arm(request, (wake) => {
        watch.met = wake;
        this.#woken(wake);
      }),
    };
    this.#watch = watch;
    return undefined;
  }

  #armTimers({ sinceMs, isCheckIn }: CurrentSleep, armed: DisposableStore): void {
    const { log, standstills } = this.#deps;
    const alarm = budgetAlarm(log.state);
    // Time passes for limits in minutes while the session sleeps, too. After the wake, the loop
    // ends the session or notifies the model that the experiment's allowance is used up.
    if (alarm !== undefined) {
      const wake: Wake = { why: 'deadline', met: [alarm.what], unmet: [], errors: [] };
      const endMs = (): number | undefined => budgetAlarm(log.state)?.atMs;
      armed.add(standstills.alarmAt(endMs, () => this.#woken(wake)));
    }
    const { monitor } = log.state;
    if (monitor !== undefined && !isCheckIn)
      this.#checkInAt(sinceMs + monitor.intervalMs, monitor.intervalMs, armed);
  }

  /** Wakes the session for a check-in if a run is active then; otherwise tries again later. */
  #checkInAt(atMs: number, intervalMs: number, armed: DisposableStore): void {
    const { log, clock } = this.#deps;
    const timer = alarmAt(clock, atMs, () => {
      if (isIdle(log.state)) this.#checkInAt(clock.now() + intervalMs, intervalMs, armed);
      else this.#woken({ why: 'check_in', met: [], unmet: [], errors: [] });
    });
    armed.add(timer);
  }

  #woken(wake: Wake): void {
    if (this.#armed === undefined) return;
    this.#armed.dispose();
    this.#armed = undefined;
    if (wake.why !== 'check_in') this.disarm();
    this.#heard = wake;
    // A sleep often ends because a run ended. Wait until the end of the run is in the journal.
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
    const { log } = this.#deps;
    const { sleep } = log.state;
    if (sleep === undefined) return;
    const detail = wake.met.join(', ') || wake.why.replace('_', ' ');
    await log.record({ type: 'sleep.ended', sleepId: sleep.sleepId, why: wake.why, detail });
    await this.#tell(wake, sleep);
  }

  /**
   * Records what the model is told at a wake. A wake by the user tells nothing if no run was active.
   */
  async #tell(wake: Wake, sleep: CurrentSleep): Promise<void> {
    const { log, sessionRuns, sweeps, clock } = this.#deps;
    const input = digestOf({ wake, sleep, log, sessionRuns, sweeps, clock });
    if (wake.why === 'person' && input.runs.length + input.sweeps.length === 0) return;
    const origin = sleep.isCheckIn || wake.why === 'check_in' ? 'monitor' : 'wake';
    const { target } = log.state;
    const ledger = (): Ledger => sessionRuns.ledger();
    const news = [
      ...targetNews(sleep.sleepId, log.events, { target, ledger }),
      ...seedNews(sleep.sleepId, log.events, ledger),
    ];
    const digest = renderDigest(input);
    const ended = digest.runIds.filter((id) => log.state.runs.get(id)?.verdict !== undefined);
    await log.record({
      type: 'message.added',
      origin,
      text: [...news, digest.text].join('\n'),
      ...(ended.length > 0 && { ended }),
    });
  }
}

const personWake: Wake = { why: 'person', met: [], unmet: [], errors: [] };
