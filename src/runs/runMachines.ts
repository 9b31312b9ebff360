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

/**
 * Returns whether a failure means only that the machine could not be reached, so that its runs may
 * still be active.
 */
export const saysNothing = (error: unknown): error is MachineFailure =>
  error instanceof MachineFailure && silentReasons.includes(error.reason);

/**
 * Finds the machines of runs. If a run's machine is no longer in the list, the end of the run stays
 * unknown.
 */
export class RunMachines {
  readonly #machines: Machines;

  constructor(machines: Machines) {
    this.#machines = machines;
  }

  /**
   * Returns a machine from the list, after determining its folders. Rejects with `MachineFailure`.
   */
  async listed(id: string): Promise<Machine> {
    const machine = this.#machines.get(id);
    await machine.ready?.();
    return machine;
  }

  /**
   * Returns a machine from the list. For a machine that is no longer in the list, returns a
   * placeholder that never answers.
   */
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
   * Returns the machine after determining its folders. If the folders cannot be determined now,
   * returns a placeholder that never answers.
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
