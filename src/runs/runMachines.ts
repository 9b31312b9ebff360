import { absentMachine } from '../machines/absentMachine.ts';
import {
  MachineFailure,
  type Machine,
  type MachineFailureReason,
  type Machines,
} from '../machines/machine.ts';

const silentReasons: readonly MachineFailureReason[] = [
  'unreachable',
  'timeout',
  'auth',
  'host_key',
  'unknown_machine',
];

/** Returns whether a failure carries no information about the runs on a machine. */
export const saysNothing = (error: unknown): error is MachineFailure =>
  error instanceof MachineFailure && silentReasons.includes(error.reason);

/**
 * The machines of runs. A run may outlive the entry of its machine in the list; its end is unknown
 * then.
 */
export class RunMachines {
  readonly #machines: Machines;

  constructor(machines: Machines) {
    this.#machines = machines;
  }

  /** Returns a listed machine once its folders are known. Rejects with `MachineFailure`. */
  async listed(id: string): Promise<Machine> {
    const machine = this.#machines.get(id);
    await machine.ready?.();
    return machine;
  }

  /** Returns a listed machine, or one that never answers if it is no longer listed. */
  get(id: string): Machine {
    try {
      return this.#machines.get(id);
    } catch (error) {
      if (error instanceof MachineFailure && error.reason === 'unknown_machine')
        return absentMachine(id);
      throw error;
    }
  }

  /**
   * Returns the machine once its folders are known, or one that never answers if they cannot be
   * determined now.
   */
  async reach(id: string): Promise<Machine> {
    const machine = this.get(id);
    try {
      await machine.ready?.();
      return machine;
    } catch (error) {
      if (saysNothing(error)) return absentMachine(id, error.message);
      throw error;
    }
  }
}
