/** Types that the conditions of a sleep share. */
import type { Clock } from '../base/clock.ts';
import type { SleepPorts } from './sleepPorts.ts';
import type { Trigger } from './trigger.ts';

export type TriggerOf<Type extends Trigger['type']> = Extract<Trigger, { type: Type }>;

/** Receives the state of a condition; the methods may be called any number of times. */
export interface ConditionSink {
  /** Reports whether the condition holds now. */
  met(isMet: boolean): void;
  /** Reports what the condition still waits for, as text. */
  found?(text: string): void;
  /** Reports that a check of the condition failed. The check is tried again. */
  failed(message: string): void;
  /** Reports that the condition can never be met. */
  hopeless(): void;
}

export interface ConditionPorts {
  readonly ports: SleepPorts;
  readonly clock: Clock;
}
