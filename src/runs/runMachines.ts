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

/** Whether a failure says nothing about the runs on a machine. */
export const saysNothing = (error: unknown): error is MachineFailure =>
  error instanceof MachineFailure && silentReasons.includes(error.reason);

/**
 * The machines of runs. A run outlives the entry of its machine in the list: its end is then not
 * known.
 */
export class RunMachines {
  readonly #machines: Machines;

  constructor(machines: Machines) {
    this.#machines = machines;
  }

  /** Returns the machine, its folders known. Rejects with `MachineFailure`. */
  async listed(id: string): Promise<Machine> {
    const machine = this.#machines.get(id);
    await machine.ready?.();
    return machine;
  }

  /**
   * Returns the machine of the list, or one that answers nothing where it is not in the list any
   * more.
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
   * Returns the machine, its folders known, or one that answers nothing where they cannot be known
   * now.
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
