/**
 * Runs scripts in a standing shell: one that is opened on demand and stays open. If the host does
 * not allow another shell, the scripts run in the shell of another instance.
 */
import type { Clock } from '../../base/clock.ts';
import { MachineFailure } from '../machine.ts';
import type { CommandHost } from './commandHost.ts';
import { commandRunner } from './commandRunner.ts';
import { RemoteShell, type RunLimits, type ScriptRunner } from './remoteShell.ts';

/** Delay before a shell is requested again from a host that refused one. */
const retryMs = 60_000;

export class StandingShell implements ScriptRunner {
  readonly #host: CommandHost;
  readonly #clock: Clock;
  readonly #other: () => StandingShell | undefined;
  /** Runs each script as a separate command, used while there is no standing shell. */
  readonly #commands: ScriptRunner;
  #shell: RemoteShell | undefined;
  #opening: Promise<ScriptRunner> | undefined;
  #retryAtMs = 0;
  /** The shell of `other` that ran the last script, because this instance had none. */
  #borrowed: RemoteShell | undefined;
  /** Number of disposals. A shell whose opening began before a disposal is closed immediately. */
  #disposals = 0;

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

  /** True if scripts run in a standing shell, and not each as a separate command. */
  get stays(): boolean {
    return this.#standing !== undefined;
  }

  /** Runs a script, and repeats it once if an already open shell turns out to be lost. */
  async run(script: string, limits?: RunLimits): Promise<Buffer> {
    const disposals = this.#disposals;
    const before = this.#standing;
    const runner = await this.#runner();
    try {
      return await runner.run(script, limits);
    } catch (error) {
      const isLost = error instanceof MachineFailure && error.reason === 'unreachable';
      if (isLost) this.#retryAtMs = 0;
      // Repeat the script only if just the shell was lost. If the machine is unreachable, fail.
      const isDown = this.#host.retryAfterMs > 0;
      if (!isLost || isDown || runner !== before || disposals !== this.#disposals) throw error;
    }
    return (await this.#runner()).run(script, limits);
  }

  /** Closes the shell. The next script opens another. */
  dispose(): void {
    this.#disposals++;
    this.#retryAtMs = 0;
    this.#opening = undefined;
    this.#shell?.dispose();
    this.#shell = undefined;
  }

  /** The open shell of this instance; `undefined` if none is open. */
  get own(): RemoteShell | undefined {
    return this.#shell?.isOver === false ? this.#shell : undefined;
  }

  get #standing(): RemoteShell | undefined {
    return this.own ?? this.#other()?.own;
  }

  #runner(): Promise<ScriptRunner> | ScriptRunner {
    if (this.own) return this.own;
    // If the shell of the other instance is lost, the host may allow a new shell: try immediately.
    if (this.#borrowed?.isOver) this.#retryAtMs = 0;
    if (this.#clock.now() < this.#retryAtMs) return this.#fallback();
    if (this.#opening) return this.#opening;
    const opening = this.#open().finally(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    this.#opening = opening;
    return opening;
  }

  async #open(): Promise<ScriptRunner> {
    const disposals = this.#disposals;
    try {
      const shell = await RemoteShell.open(this.#host, this.#clock);
      if (disposals === this.#disposals) this.#shell = shell;
      else shell.dispose();
      return shell;
    } catch (error) {
      if (!(error instanceof MachineFailure) || error.reason !== 'denied') throw error;
      if (disposals === this.#disposals) this.#retryAtMs = this.#clock.now() + retryMs;
      return this.#fallback();
    }
  }

  #fallback(): ScriptRunner {
    this.#borrowed = this.#other()?.own;
    return this.#borrowed ?? this.#commands;
  }
}
