/**
 * Host of a run under a scheduler. The scheduler knows whether the run is active; the run's
 * supervisor records how the run ended.
 */
import { delay, type Clock } from '../base/clock.ts';
import {
  MachineFailure,
  type JobEnd,
  type JobState,
  type Machine,
  type Scheduler,
} from '../machines/machine.ts';
import {
  parseSignalReport,
  runFolder,
  signalCommand,
  type RunFolder,
  type SignalReport,
} from './supervisor.ts';
import type { Presence } from './presence.ts';
import { type RunEnd, type RunProcess, type RunSpec, type Verdict, verdictText } from './run.ts';
import type { RunHost, RunHostDeps, SignalOutcome } from './runHost.ts';

export interface JobHostDeps extends RunHostDeps {
  readonly scheduler: Scheduler;
}

/** Maximum wait for the end of a job after its command was killed. */
const endTimeoutMs = 60_000;
/**
 * Age of the heartbeat after which a supervisor is considered dead. The supervisor touches the
 * heartbeat file every few seconds, but network drives show its new time late.
 */
const heartbeatTimeoutMs = 120_000;
/**
 * Age of the heartbeat after which a job that the scheduler reports as ended is believed to have
 * ended. With a younger heartbeat, the job is still active: a scheduler that lost its state reports
 * active jobs as ended.
 */
const afterlifeMs = 20_000;
/** Time to watch for a new heartbeat; longer than the interval between two heartbeats. */
const beatMs = 7_000;
/** Timeout for sending a signal to the supervisor on a node and reading its report. */
const orderTimeoutMs = 15_000;
const nothingSignalled: SignalReport = { signalled: [], isEscalated: false, left: [] };

export class JobHost implements RunHost {
  /**
   * Milliseconds between two checks. Short, because one query to the scheduler returns the states
   * of all runs of a cluster.
   */
  readonly checkIntervalMs = 2000;
  /** Milliseconds. Long, because network drives show a new file late. */
  readonly recordGraceMs = 15_000;
  readonly #spec: RunSpec;
  readonly #machine: Machine;
  readonly #scheduler: Scheduler;
  readonly #clock: Clock;
  readonly #folder: RunFolder;
  readonly #sinceMs: number;
  #jobId: string | undefined;
  #heartbeat: { readonly modifiedMs: number; readonly seenMs: number } | undefined;

  constructor({ spec, machine, scheduler, clock }: JobHostDeps) {
    this.#spec = spec;
    this.#machine = machine;
    this.#scheduler = scheduler;
    this.#clock = clock;
    this.#folder = runFolder(machine.runsFolder, spec.id);
    this.#sinceMs = clock.now();
  }

  get jobId(): string | undefined {
    return this.#jobId;
  }

  async exists(): Promise<boolean> {
    return (await this.#found()) !== undefined;
  }

  async presence(process: RunProcess | undefined): Promise<Presence> {
    const jobId = await this.#found();
    if (jobId === undefined)
      return this.#clock.now() - this.#sinceMs < heartbeatTimeoutMs
        ? { kind: 'starting' }
        : { kind: 'gone', why: 'it was never submitted', isFinal: true };
    const state = await this.#scheduler.state(jobId);
    switch (state.kind) {
      case 'queued':
        return { kind: 'queued', jobId, why: state.why };
      case 'running':
        return { kind: process ? 'alive' : 'starting' };
      case 'ended':
        return this.#gone(state, process);
      case 'unknown':
        return (await this.#isTakenOut(state)) ? takenOut(this.#clock.now()) : this.#beating(jobId);
    }
  }

  async identified(process: RunProcess): Promise<RunProcess> {
    const jobId = await this.#found();
    return jobId === undefined ? process : { ...process, jobId };
  }

  /**
   * Returns how the run ended according to its exit record; `undefined` if the scheduler has
   * requeued the job. The scheduler is not queried if the run was killed on request, or if the
   * program exited with a code and jobs are never requeued. If a signal ended the program, the
   * scheduler is asked for the reason.
   */
  async settled(
    record: RunEnd,
    read: () => Promise<RunEnd | undefined>,
  ): Promise<RunEnd | undefined> {
    const { verdict } = record;
    if (verdict.kind === 'killed' || (verdict.kind !== 'signalled' && !this.#scheduler.mayRequeue))
      return record;
    const state = await this.#state();
    if (state?.kind === 'queued' || state?.kind === 'running') return undefined;
    // A requeued job writes a new record, so read the record again.
    const last = (await read()) ?? record;
    if (state?.kind !== 'ended' || last.verdict.kind !== 'signalled') return last;
    return { ...last, verdict: reasonOf(state.end) ?? last.verdict };
  }

  async #state(): Promise<JobState | undefined> {
    const jobId = await this.#found();
    return jobId === undefined ? undefined : this.#scheduler.state(jobId);
  }

  async signal(signal: string, graceMs: number | undefined): Promise<SignalOutcome> {
    const jobId = await this.#found();
    const state =
      jobId === undefined ? undefined : await this.#scheduler.state(jobId, { isUrgent: true });
    if (
      jobId === undefined ||
      state === undefined ||
      state.kind === 'ended' ||
      state.kind === 'unknown'
    )
      return { ...nothingSignalled, isOver: state?.kind === 'ended' && !(await this.#livesOn()) };
    const isRunning = state.kind === 'running';
    if (graceMs === undefined)
      return { ...(await this.#tell(jobId, signal, isRunning)), isOver: false };
    const report = await this.#tell(jobId, signal, isRunning, graceMs);
    // If processes were signalled, the supervisor has written the file `kill`. Otherwise, write it
    // here.
    if (report.signalled.length === 0) await this.#markKilled(graceMs);
    await this.#scheduler.cancel(jobId);
    return { ...report, isOver: await this.#isEnded(jobId) };
  }

  async #tell(
    jobId: string,
    signal: string,
    isRunning: boolean,
    graceMs?: number,
  ): Promise<SignalReport> {
    if (!isRunning || !(await this.#hasBegun())) return nothingSignalled;
    const order = signalCommand(this.#folder, signal, graceMs);
    const timeoutMs = orderTimeoutMs + (graceMs ?? 0);
    try {
      return parseSignalReport(
        await this.#scheduler.onNode({ id: jobId, name: this.#spec.id }, order, timeoutMs),
      );
    } catch (error) {
      // The node does not answer, so only the scheduler can end the job.
      if (graceMs !== undefined && error instanceof MachineFailure && error.reason === 'timeout')
        return nothingSignalled;
      throw error;
    }
  }

  /**
   * Returns whether the command has started. Before the command has started, no signal may be sent
   * to the job: its shell has no handler for the signal yet and would die.
   */
  async #hasBegun(): Promise<boolean> {
    return (await this.#machine.stat(this.#folder.process)) !== undefined;
  }

  /**
   * Marks the run as killed, unless it is already marked as killed, over its limit or ended: only
   * the first mark file is valid.
   */
  async #markKilled(graceMs: number): Promise<void> {
    const { kill, limit, exit } = this.#folder;
    const marks = await Promise.all([kill, limit, exit].map((path) => this.#machine.stat(path)));
    if (marks.every((mark) => mark === undefined))
      await this.#machine.writeFile(kill, Buffer.from(`grace_ms=${Math.ceil(graceMs)}\n`), {
        isPrivate: true,
      });
  }

  async #isEnded(jobId: string): Promise<boolean> {
    const endMs = this.#clock.now() + endTimeoutMs;
    for (;;) {
      const state = await this.#scheduler.state(jobId);
      if (state.kind === 'ended' || (await this.#isTakenOut(state))) return true;
      if (this.#clock.now() >= endMs) return false;
      await delay(this.#clock, 200);
    }
  }

  async #found(): Promise<string | undefined> {
    this.#jobId ??= await this.#scheduler.find(this.#spec.id);
    return this.#jobId;
  }

  /**
   * Returns the presence of a job that has ended. If the run never began, there is no exit record,
   * and the exit code of the job is the code of the setup before the command.
   */
  async #gone(
    { end, endedMs }: Extract<JobState, { kind: 'ended' }>,
    process: RunProcess | undefined,
  ): Promise<Presence> {
    if (process && (await this.#silentMs()) < afterlifeMs) return { kind: 'alive' };
    const verdict = verdictOf(end);
    const how = verdict === undefined ? 'completed' : verdictText(verdict);
    const why = `its job ${this.#jobId ?? ''} left no exit record: ${how}`;
    const isFinal = process !== undefined || end.kind === 'cancelled' || end.kind === 'failed';
    const known = verdict && { end: { verdict, endedMs: endedMs || this.#clock.now() } };
    return { kind: 'gone', why, isFinal, ...known };
  }

  /**
   * Returns the milliseconds since this process last saw the heartbeat change. The time of the
   * heartbeat file itself is not used, because the clocks of two computers differ.
   */
  async #silentMs(): Promise<number> {
    const nowMs = this.#clock.now();
    const modifiedMs = (await this.#machine.stat(this.#folder.heartbeat))?.modifiedMs ?? 0;
    if (this.#heartbeat?.modifiedMs !== modifiedMs) this.#heartbeat = { modifiedMs, seenMs: nowMs };
    return nowMs - this.#heartbeat.seenMs;
  }

  async #livesOn(): Promise<boolean> {
    const { heartbeat, exit } = this.#folder;
    const before = await this.#machine.stat(heartbeat);
    if (before === undefined || (await this.#machine.stat(exit)) !== undefined) return false;
    await delay(this.#clock, beatMs);
    return (await this.#machine.stat(heartbeat))?.modifiedMs !== before.modifiedMs;
  }

  /** Returns whether the job was removed from the queue before it began. */
  async #isTakenOut(state: JobState): Promise<boolean> {
    if (state.kind !== 'unknown' || !state.isLeftOut) return false;
    const { claim } = this.#folder;
    return (await this.#machine.stat(claim)) === undefined;
  }

  /**
   * Decides by the heartbeat whether a job that the scheduler does not know is active. A scheduler
   * forgets jobs that ended long ago, and sometimes loses active jobs.
   */
  async #beating(jobId: string): Promise<Presence> {
    if ((await this.#silentMs()) < heartbeatTimeoutMs)
      return { kind: (this.#heartbeat?.modifiedMs ?? 0) > 0 ? 'alive' : 'starting' };
    const why = `the scheduler no longer knows its job ${jobId}, and it shows no sign of life`;
    return { kind: 'gone', why, isFinal: true };
  }
}

const takenOut = (nowMs: number): Presence => ({
  kind: 'gone',
  why: 'it was removed from the queue',
  isFinal: true,
  end: { verdict: { kind: 'killed' }, endedMs: nowMs },
});

/**
 * Returns the verdict of a job that the scheduler ended; `undefined` for a job that ended by
 * itself.
 */
function reasonOf(end: JobEnd): Verdict | undefined {
  switch (end.kind) {
    case 'completed':
    case 'failed':
      return undefined;
    case 'cancelled':
      return { kind: 'killed' };
    case 'time_limit':
    case 'out_of_memory':
    case 'preempted':
      return { kind: end.kind };
    case 'node_failed':
      return { kind: 'lost', why: end.why };
  }
}

/** Returns the verdict of a job whose run left no record; `undefined` for a job that completed. */
function verdictOf(end: JobEnd): Verdict | undefined {
  if (end.kind !== 'failed') return reasonOf(end);
  return end.signal === undefined
    ? { kind: 'failed', code: end.code }
    : { kind: 'signalled', signal: end.signal };
}
