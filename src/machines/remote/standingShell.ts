/**
 * Runs scripts in a standing shell that is opened on demand. Where the host has no room for it, the
 * shell of another instance runs them.
 */
import type { Clock } from '../../base/clock.ts';
import { MachineFailure } from '../machine.ts';
import type { CommandHost } from './commandHost.ts';
import { commandRunner } from './commandRunner.ts';
import { RemoteShell, type RunLimits, type ScriptRunner } from './remoteShell.ts';

/** Delay before a host without room is tried again. */
const retryMs = 60_000;

export class StandingShell implements ScriptRunner {
  readonly #host: CommandHost;
  readonly #clock: Clock;
  readonly #other: () => StandingShell | undefined;
  /** Runs each script as its own command, when there is no standing shell. */
  readonly #commands: ScriptRunner;
  #shell: RemoteShell | undefined;
  #opening: Promise<ScriptRunner> | undefined;
  #retryAtMs = 0;
  /** Shell of `other` that was used last. */
  #leant: RemoteShell | undefined;
  /** Counts disposals: a shell that was being opened before one is closed at once. */
  #life = 0;

  /** @param other Runs scripts with its open shell when this instance cannot open one. */
  constructor(
    host: CommandHost,
    clock: Clock,
    other: () => StandingShell | undefined = () => undefined,
  ) {
    this.#host = host;
    this.#clock = clock;
    this.#other = other;
    this.#commands = commandRunner(host, clock);
  }

  /** True when scripts run in a standing shell, without a command each. */
  get stays(): boolean {
    return this.#standing !== undefined;
  }

  /** Runs a script, and repeats it once if an already open shell turns out to be lost. */
  async run(script: string, limits?: RunLimits): Promise<Buffer> {
    const life = this.#life;
    const before = this.#standing;
    const runner = await this.#runner();
    try {
      return await runner.run(script, limits);
    } catch (error) {
      const isLost = error instanceof MachineFailure && error.reason === 'unreachable';
      if (isLost) this.#retryAtMs = 0;
      // Losing an open shell says nothing about the machine, which may be down as well.
      const isDown = this.#host.retryAfterMs > 0;
      if (!isLost || isDown || runner !== before || life !== this.#life) throw error;
    }
    return (await this.#runner()).run(script, limits);
  }

  /** Closes the shell. The next script opens another. */
  dispose(): void {
    this.#life++;
    this.#retryAtMs = 0;
    this.#opening = undefined;
    this.#shell?.dispose();
    this.#shell = undefined;
  }

  /** The open shell; absent when none can answer. */
  get own(): RemoteShell | undefined {
    return this.#shell?.isOver === false ? this.#shell : undefined;
  }

  get #standing(): RemoteShell | undefined {
    return this.own ?? this.#other()?.own;
  }

  #runner(): Promise<ScriptRunner> | ScriptRunner {
    if (this.own) return this.own;
    // The room of the lost shell is free again.
    if (this.#leant?.isOver) this.#retryAtMs = 0;
    if (this.#clock.now() < this.#retryAtMs) return this.#instead();
    if (this.#opening) return this.#opening;
    const opening = this.#open().finally(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    this.#opening = opening;
    return opening;
  }

  async #open(): Promise<ScriptRunner> {
    const life = this.#life;
    try {
      const shell = await RemoteShell.open(this.#host, this.#clock);
      if (life === this.#life) this.#shell = shell;
      else shell.dispose();
      return shell;
    } catch (error) {
      if (!(error instanceof MachineFailure) || error.reason !== 'denied') throw error;
      if (life === this.#life) this.#retryAtMs = this.#clock.now() + retryMs;
      return this.#instead();
    }
  }

  #instead(): ScriptRunner {
    this.#leant = this.#other()?.own;
    return this.#leant ?? this.#commands;
  }
}
