/** What one condition of a sleep is given. */
import type { Clock } from '../base/clock.ts';
import type { SleepPorts } from './sleepPorts.ts';
import type { Trigger } from './trigger.ts';

export type TriggerOf<Type extends Trigger['type']> = Extract<Trigger, { type: Type }>;

/** What a condition tells about itself, as often as it likes. */
export interface ConditionSink {
  /** Holds now, or does not (any more). */
  met(isMet: boolean): void;
  /** Could not be looked at; it is tried again. */
  failed(message: string): void;
  /** Can never be met any more. */
  hopeless(): void;
}

export interface ConditionPorts {
  readonly ports: SleepPorts;
  readonly clock: Clock;
}
