/**
 * Waits for conditions without using tokens. Most conditions are event-driven; only files,
 * processes and commands are polled.
 */
import type { Clock } from '../base/clock.ts';
import { DisposableStore, toDisposable, type Disposable } from '../base/disposable.ts';
import { messageOf } from '../base/errors.ts';
import { alarmAt } from './alarm.ts';
import { watchCondition, watchIdle } from './conditions.ts';
import type { SleepPorts } from './sleepPorts.ts';
import { isOfRuns, metText, triggerText, type SleepRequest, type Trigger } from './trigger.ts';

/**
 * The reason why a sleep ended. Conditions are described in the form that the user sees: `run 7 has
 * ended` if met, otherwise `run 7 ends`.
 */
export interface Wake {
  /**
   * - `trigger`: the conditions are met
   * - `deadline`: the deadline has passed
   * - `person`: the user ended the sleep
   * - `run_ended`: the conditions can no longer be met, because their runs have ended
   * - `alarm`: a watchdog raised an alarm, which `met` describes
   * - `check_in`: the interval of the monitor has passed; the sleep may continue afterwards
   */
  readonly why: 'trigger' | 'deadline' | 'person' | 'run_ended' | 'alarm' | 'check_in';
  readonly met: readonly string[];
  readonly unmet: readonly string[];
  /**
   * Conditions whose last check failed, with the error, for example `loss < 1: gpu1 does not
   * answer`.
   */
  readonly errors: readonly string[];
  /**
   * What conditions still wait for, with the condition, for example `no train on gpu1 any more: pid
   * 42 python train.py`. Omitted by older versions.
   */
  readonly found?: readonly string[];
}

interface Condition {
  readonly trigger: Trigger;
  isMet: boolean;
  isHopeless: boolean;
  lastError: string | undefined;
  /** The state that the condition still waits for, if a check found that out. */
  found: string | undefined;
}

/**
 * Waits until the conditions of a sleep are met: with `any`, until the first is met; with `all`,
 * until all hold at the same time. A condition on the end of a process or on a time stays met,
 * whereas a condition on a metric or a file must hold at that moment. All state derives from the
 * request and from probes, so a sleep can continue from its recorded request after a restart.
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
   * Starts to wait. Calls `onWake` once, after this method has returned. Never calls it once the
   * returned object or the sleeper is disposed.
   */
  arm(request: SleepRequest, onWake: (wake: Wake) => void): Disposable {
    const conditions = request.triggers.map((trigger): Condition => ({
      trigger,
      isMet: false,
      isHopeless: false,
      lastError: undefined,
      found: undefined,
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
    // With `all`, each condition is checked with its newest value, so decide only after all points
    // that arrived together have been compared.
    const onChange = request.logic === 'any' ? consider : () => queueMicrotask(consider);
    for (const condition of conditions)
      watches.add(this.#watch(condition, () => isDecided, onChange));
    const ports = { ports: this.#ports, clock: this.#clock };
    if (request.triggers.length > 0 && request.triggers.every(isOfRuns))
      watches.add(watchIdle(ports, () => decide('run_ended')));
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
            // A condition that ended the sleep stays met, even if a later value in the same batch
            // does not satisfy it.
            condition.isMet = isMet || (isDecided() && condition.isMet);
            condition.lastError = undefined;
            if (isMet) onChange();
          },
          failed: fail,
          found(text) {
            condition.found = text;
          },
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
  const triggers = (isMet: boolean): Trigger[] =>
    conditions.filter((each) => each.isMet === isMet).map(({ trigger }) => trigger);
  const found = conditions
    .filter((each) => !each.isMet && (each.found ?? '') !== '')
    .map((each) => `${triggerText(each.trigger)}: ${each.found}`);
  const errors = conditions
    .filter((each) => each.lastError !== undefined)
    .map((each) => `${triggerText(each.trigger)}: ${each.lastError}`);
  return {
    why,
    met: triggers(true).map(metText),
    unmet: triggers(false).map(triggerText),
    errors,
    ...(found.length > 0 && { found }),
  };
}
