/**
 * Reads the states of jobs. Requests made at about the same time are combined into one request to
 * the scheduler.
 */
import { delay, type Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { quotedReason } from '../../base/untrusted.ts';
import { MachineFailure, type JobState } from '../machine.ts';
import { parseSacct, parseSqueue, sacctCommand, squeueCommand } from './jobStates.ts';

/** Interval between two requests to the scheduler. */
const tickMs = 2000;
/**
 * Interval after an urgent request, made while a run is being ended. Not zero, so that runs that
 * are ended together share a request.
 */
const urgentTickMs = 100;

export interface JobQueueDeps {
  /** Runs a Slurm command on the login host; resolves with its output and exit code. */
  ask(command: string): Promise<{ readonly text: string; readonly code: number }>;
  readonly clock: Clock;
}

export class JobQueue {
  readonly #deps: JobQueueDeps;
  #requestedIds = new Set<string>();
  #next: Promise<ReadonlyMap<string, JobState>> | undefined;
  #lastMs = -Infinity;
  /** Aborted to shorten the wait before the next request. */
  #hurry = new AbortController();
  /** False once Slurm has reported that it has no accounting. */
  #hasAccounting = true;

  constructor(deps: JobQueueDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves with the state of a job. Rejects with `MachineFailure` when the scheduler does not
   * answer.
   */
  async state(
    jobId: string,
    { isUrgent = false }: { readonly isUrgent?: boolean } = {},
  ): Promise<JobState> {
    this.#requestedIds.add(jobId);
    this.#next ??= this.#together();
    if (isUrgent) this.#hurry.abort();
    const states = await this.#next;
    // Compare only the ids of arrays: if an array was cancelled before any element started, Slurm
    // lists the whole array as one job.
    const isOfArray = (id: string): boolean => baseOf(id) === baseOf(jobId);
    return states.get(jobId) ?? { kind: 'unknown', isLeftOut: [...states.keys()].some(isOfArray) };
  }

  async #together(): Promise<ReadonlyMap<string, JobState>> {
    const { clock } = this.#deps;
    await this.#pause(tickMs, this.#hurry.signal).catch(() => this.#pause(urgentTickMs));
    this.#hurry = new AbortController();
    const ids = [...this.#requestedIds];
    this.#requestedIds = new Set();
    this.#next = undefined;
    this.#lastMs = clock.now();
    const queued = parseSqueue(await this.#squeue(ids));
    const missing = ids.filter((id) => !queued.has(id));
    if (missing.length === 0 || !this.#hasAccounting) return queued;
    return new Map([...parseSacct(await this.#sacct(missing)), ...queued]);
  }

  /** Waits until `forMs` after the last request. Rejects when the signal is aborted. */
  #pause(forMs: number, signal?: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    return delay(clock, Math.max(0, this.#lastMs + forMs - clock.now()), signal);
  }

  async #squeue(ids: readonly string[]): Promise<string> {
    const { text, code } = await this.#ask(squeueCommand(baseIds(ids)));
    // squeue reports "invalid job id" if the only requested job ended long ago, which is no
    // failure.
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

/** Returns the ids of jobs, with the id of the array in place of its elements. */
const baseIds = (ids: readonly string[]): readonly string[] => [...new Set(ids.map(baseOf))];

const baseOf = (id: string): string => id.split('_')[0] ?? id;

/**
 * Returns the failure for a Slurm command. Quotes the last line of the output, which states the
 * reason.
 */
export const silent = (command: string, text: string): MachineFailure => {
  const last = text.trim().split('\n').at(-1) ?? '';
  return new MachineFailure(
    'unreachable',
    `Slurm does not answer (${command}: ${quotedReason(last, 'Slurm', 'no answer in time')}). Run the command on the machine to see why.`,
  );
};
