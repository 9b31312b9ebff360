/**
 * Waits until something happens, without a token. What happens is heard as events; only files and
 * commands are polled.
 */
import type { Clock } from '../base/clock.ts';
import { DisposableStore, toDisposable, type Disposable } from '../base/disposable.ts';
import { messageOf } from '../base/errors.ts';
import { alarmAt } from './alarm.ts';
import { watchCondition } from './conditions.ts';
import type { SleepPorts } from './sleepPorts.ts';
import { triggerText, type SleepRequest, type Trigger } from './trigger.ts';

/** Why a sleep ended. Conditions are given as people read them (`run 7 ends`). */
export interface Wake {
  /**
   * `run_ended`: what was waited for can no longer happen, since the runs it was about have ended.
   * `alarm`: a watchdog saw something; `met` says what.
   */
  readonly why: 'trigger' | 'deadline' | 'person' | 'run_ended' | 'alarm';
  readonly met: readonly string[];
  readonly unmet: readonly string[];
  /**
   * Conditions that could not be looked at when it was last tried: `loss < 1: gpu1 does not
   * answer`.
   */
  readonly errors: readonly string[];
}

interface Condition {
  readonly trigger: Trigger;
  isMet: boolean;
  isHopeless: boolean;
  lastError: string | undefined;
}

/**
 * `any` wakes with the first condition that is met; `all` when every one holds: ends of processes
 * and timers stay met, metrics and files must hold now. Everything is derived from the request and
 * the world, so that a recorded request can be armed again after a restart.
 */
export class Sleeper implements Disposable {
  readonly #ports: SleepPorts;
  readonly #clock: Clock;
  readonly #armed = new Set<Disposable>();

  constructor(ports: SleepPorts, clock: Clock) {
    this.#ports = ports;
    this.#clock = clock;
  }

  /**
   * Calls `onWake` exactly once, never before this returns; not at all once the result or the
   * sleeper is disposed.
   */
  arm(request: SleepRequest, onWake: (wake: Wake) => void): Disposable {
    const conditions = request.triggers.map((trigger): Condition => ({
      trigger,
      isMet: false,
      isHopeless: false,
      lastError: undefined,
    }));
    const watches = new DisposableStore();
    const end = toDisposable(() => {
      this.#armed.delete(end);
      watches.dispose();
    });
    this.#armed.add(end);
    let isDecided = false;
    const decide = (why: Wake['why'] | undefined): void => {
      if (isDecided || why === undefined || !this.#armed.has(end)) return;
      isDecided = true;
      queueMicrotask(() => {
        if (!this.#armed.has(end)) return;
        const wake = wakeOf(conditions, why);
        end.dispose();
        onWake(wake);
      });
    };
    const consider = (): void => decide(verdictOf(request.logic, conditions));
    // `all` is about the newest values: points that arrive together are looked at when all of them
    // are there.
    const onChange = request.logic === 'any' ? consider : () => queueMicrotask(consider);
    for (const condition of conditions)
      watches.add(this.#watch(condition, () => isDecided, onChange));
    if (request.deadlineMs !== undefined)
      watches.add(alarmAt(this.#clock, request.deadlineMs, () => decide('deadline')));
    return end;
  }

  dispose(): void {
    for (const sleep of [...this.#armed]) sleep.dispose();
  }

  #watch(condition: Condition, isDecided: () => boolean, onChange: () => void): Disposable {
    const fail = (message: string): void => {
      condition.lastError = message;
    };
    try {
      return watchCondition(
        condition.trigger,
        { ports: this.#ports, clock: this.#clock },
        {
          met(isMet) {
            // What woke the agent is told as met, also when a later value of the same batch is not.
            condition.isMet = isMet || (isDecided() && condition.isMet);
            condition.lastError = undefined;
            if (isMet) onChange();
          },
          failed: fail,
          hopeless() {
            condition.isHopeless = true;
            onChange();
          },
        },
      );
    } catch (error) {
      fail(messageOf(error));
      return toDisposable(() => undefined);
    }
  }
}

function verdictOf(
  logic: SleepRequest['logic'],
  conditions: readonly Condition[],
): Wake['why'] | undefined {
  const isMet =
    logic === 'any'
      ? conditions.some((each) => each.isMet)
      : conditions.every((each) => each.isMet);
  if (isMet) return 'trigger';
  const isHopeless =
    logic === 'any'
      ? conditions.every((each) => each.isHopeless)
      : conditions.some((each) => each.isHopeless);
  return isHopeless ? 'run_ended' : undefined;
}

function wakeOf(conditions: readonly Condition[], why: Wake['why']): Wake {
  const texts = (isMet: boolean): string[] =>
    conditions.filter((each) => each.isMet === isMet).map((each) => triggerText(each.trigger));
  const errors = conditions
    .filter((each) => each.lastError !== undefined)
    .map((each) => `${triggerText(each.trigger)}: ${each.lastError}`);
  return { why, met: texts(true), unmet: texts(false), errors };
}
