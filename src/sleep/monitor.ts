/** Check-ins at a fixed interval while something long is going on. */
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { UserFacing } from '../base/errors.ts';
import { alarmAt } from './alarm.ts';

export const monitorMinutes = { least: 0.25, most: 24 * 60, usual: 2 };

/** As it is recorded: enough to go on after a restart. */
export interface MonitorPlan {
  readonly goal: string;
  readonly intervalMs: number;
  /** Milliseconds since the epoch. Ticks are due at this plus whole intervals, also after a restart. */
  readonly startedMs: number;
}

export interface MonitorTick {
  readonly plan: MonitorPlan;
  /** How long ago the monitor was started. */
  readonly elapsedMs: number;
}

export interface MonitorPorts {
  readonly clock: Clock;
  /** A tick that is due while this is true is left out; it is not made up for. */
  isBusy(): boolean;
  /** Not a person's message, whatever is made of it: it must not count as one. */
  onTick(tick: MonitorTick): void;
}

/** At most one plan at a time. */
export class Monitor implements Disposable {
  readonly #ports: MonitorPorts;
  #plan: MonitorPlan | undefined;
  #alarm: Disposable | undefined;

  constructor(ports: MonitorPorts) {
    this.#ports = ports;
  }

  get plan(): MonitorPlan | undefined {
    return this.#plan;
  }

  /** Replaces the plan there is. The same call starts it and takes a recorded one up again. Throws when the interval is out of bounds. */
  start(plan: MonitorPlan): void {
    const minutes = plan.intervalMs / 60_000;
    if (!(minutes >= monitorMinutes.least && minutes <= monitorMinutes.most))
      throw new UserFacing(
        `A check-in every ${minutes} minutes is out of bounds.`,
        `Use an interval between ${monitorMinutes.least} and ${monitorMinutes.most} minutes.`,
      );
    this.stop();
    this.#plan = plan;
    this.#armNext(plan);
  }

  /** Whether there was one to stop. */
  stop(): boolean {
    const wasActive = this.#plan !== undefined;
    this.#alarm?.dispose();
    this.#alarm = undefined;
    this.#plan = undefined;
    return wasActive;
  }

  dispose(): void {
    this.stop();
  }

  #armNext(plan: MonitorPlan): void {
    const { clock } = this.#ports;
    const passed = Math.max(0, Math.floor((clock.now() - plan.startedMs) / plan.intervalMs));
    this.#alarm = alarmAt(clock, plan.startedMs + (passed + 1) * plan.intervalMs, () => {
      this.#armNext(plan);
      if (!this.#ports.isBusy()) this.#ports.onTick({ plan, elapsedMs: clock.now() - plan.startedMs });
    });
  }
}
