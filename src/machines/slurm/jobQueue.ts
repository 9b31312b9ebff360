/** Questions after the states of jobs: those of one moment are one question. */
import { delay, type Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { MachineFailure, type JobState } from '../machine.ts';
import { parseSacct, parseSqueue, sacctCommand, squeueCommand } from './jobStates.ts';

/** Between two questions to the scheduler. */
const tickMs = 2000;
/** The same, where a run is to be ended: those that are ended together are asked for together. */
const urgentTickMs = 100;

export interface JobQueueDeps {
  /**
   * Runs a command of Slurm on the login host, and resolves with what it prints and its exit code.
   */
  ask(command: string): Promise<{ readonly text: string; readonly code: number }>;
  readonly clock: Clock;
}

export class JobQueue {
  readonly #deps: JobQueueDeps;
  #asked = new Set<string>();
  #next: Promise<ReadonlyMap<string, JobState>> | undefined;
  #lastMs = -Infinity;
  /** Ends the wait of the next question. */
  #hurry = new AbortController();
  /** False once Slurm has said that there is none. */
  #hasAccounting = true;

  constructor(deps: JobQueueDeps) {
    this.#deps = deps;
  }

  /** Rejects with `MachineFailure` when the scheduler does not answer. */
  async state(
    jobId: string,
    { isUrgent = false }: { readonly isUrgent?: boolean } = {},
  ): Promise<JobState> {
    this.#asked.add(jobId);
    this.#next ??= this.#together();
    if (isUrgent) this.#hurry.abort();
    const states = await this.#next;
    // An array that was cancelled whole before anything of it began stands there as one.
    const isOfArray = (id: string): boolean => baseOf(id) === baseOf(jobId);
    return states.get(jobId) ?? { kind: 'unknown', isLeftOut: [...states.keys()].some(isOfArray) };
  }

  async #together(): Promise<ReadonlyMap<string, JobState>> {
    const { clock } = this.#deps;
    await this.#pause(tickMs, this.#hurry.signal).catch(() => this.#pause(urgentTickMs));
    this.#hurry = new AbortController();
    const ids = [...this.#asked];
    this.#asked = new Set();
    this.#next = undefined;
    this.#lastMs = clock.now();
    const queued = parseSqueue(await this.#squeue(ids));
    const missing = ids.filter((id) => !queued.has(id));
    if (missing.length === 0 || !this.#hasAccounting) return queued;
    return new Map([...parseSacct(await this.#sacct(missing)), ...queued]);
  }

  /** From the last question on. Rejects when the signal is aborted. */
  #pause(forMs: number, signal?: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    return delay(clock, Math.max(0, this.#lastMs + forMs - clock.now()), signal);
  }

  async #squeue(ids: readonly string[]): Promise<string> {
    const { text, code } = await this.#ask(squeueCommand(baseIds(ids)));
    // That is said of a job that ended long ago, when it is asked for alone.
    if (code === 0 || /invalid job id/i.test(text)) return text;
    throw silent('squeue', text);
  }

  async #sacct(ids: readonly string[]): Promise<string> {
    const { text, code } = await this.#ask(sacctCommand(baseIds(ids)));
    if (code === 0) return text;
    if (!/accounting storage is disabled|not running.*accounting/i.test(text))
      throw silent('sacct', text);
    this.#hasAccounting = false;
    return '';
  }

  async #ask(command: string): Promise<{ text: string; code: number }> {
    try {
      return await this.#deps.ask(command);
    } catch (error) {
      if (error instanceof MachineFailure) throw error;
      throw new MachineFailure('io', messageOf(error), { cause: error });
    }
  }
}

/** Of an array, all elements at once. */
const baseIds = (ids: readonly string[]): readonly string[] => [...new Set(ids.map(baseOf))];

const baseOf = (id: string): string => id.split('_')[0] ?? id;

/**
 * The commands of Slurm tell each step of a failure in a line; the last one says what it came to.
 */
export const silent = (command: string, text: string): MachineFailure => {
  const last = text.trim().split('\n').at(-1);
  return new MachineFailure(
    'unreachable',
    `Slurm does not answer (${command}: ${last || 'no answer in time'}).`,
  );
};
