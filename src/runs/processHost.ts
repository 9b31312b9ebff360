/**
 * Host of a run that was started directly, without a scheduler. Reads the state of the run from its
 * process and from the files that its supervisor writes.
 */
import type { Clock } from '../base/clock.ts';
import { quotedReason } from '../base/untrusted.ts';
import { MachineFailure, type Machine } from '../machines/machine.ts';
import { parseSignalReport, runFolder, signalCommand, type RunFolder } from './supervisor.ts';
import { hasSupervisor } from './exitRecord.ts';
import type { Presence } from './presence.ts';
import { probe } from './probe.ts';
import type { RunEnd, RunProcess } from './run.ts';
import type { RunHost, RunHostDeps, SignalOutcome } from './runHost.ts';

/**
 * Milliseconds to wait for the process file of a new run before the start of the run is considered
 * failed.
 */
const startGraceMs = 30_000;

export class ProcessHost implements RunHost {
  /**
   * Milliseconds between two checks. Long, because most runs leave an exit record when they end,
   * and a changed file is noticed at once.
   */
  readonly checkIntervalMs = 5000;
  /** Milliseconds. The supervisor writes the exit record some time after the end of the command. */
  readonly recordGraceMs = 5000;
  readonly jobId = undefined;
  readonly #machine: Machine;
  readonly #clock: Clock;
  readonly #folder: RunFolder;
  readonly #sinceMs: number;

  constructor({ spec, machine, clock }: RunHostDeps) {
    this.#machine = machine;
    this.#clock = clock;
    this.#folder = runFolder(machine.runsFolder, spec.id);
    this.#sinceMs = clock.now();
  }

  async exists(): Promise<boolean> {
    return (await this.#machine.stat(this.#folder.claim)) !== undefined;
  }

  async presence(process: RunProcess | undefined): Promise<Presence> {
    if (process === undefined)
      return this.#clock.now() - this.#sinceMs < startGraceMs
        ? { kind: 'starting' }
        : { kind: 'gone', why: 'its command was never started', isFinal: true };
    const presence = await probe(this.#machine, process);
    if (presence.kind !== 'gone' || presence.isFinal) return presence;
    // A run whose supervisor is alive is reported as alive: the supervisor may be waiting for the
    // remaining processes of a run that is being ended.
    return (await hasSupervisor(this.#machine, this.#folder)) ? { kind: 'alive' } : presence;
  }

  identified(process: RunProcess): Promise<RunProcess> {
    return Promise.resolve(process);
  }

  settled(record: RunEnd): Promise<RunEnd> {
    return Promise.resolve(record);
  }

  async signal(signal: string, graceMs: number | undefined): Promise<SignalOutcome> {
    const { outcome, stdout, stderr } = await this.#machine.exec(
      signalCommand(this.#folder, signal, graceMs),
      {
        cwd: '/',
        timeoutMs: 30_000 + (graceMs ?? 0),
      },
    );
    if (outcome.kind !== 'exited' || outcome.code !== 0)
      throw new MachineFailure(
        'io',
        `Machine ${this.#machine.id} could not send ${signal} to the run: ${quotedReason(stderr, this.#machine.id, outcome.kind)}`,
      );
    const report = parseSignalReport(stdout);
    return { ...report, isOver: report.left.length === 0 };
  }
}
