/**
 * Answers scripts by a shell that stays, opened when it is needed; where there is no room for it by
 * that of another.
 */
import type { Clock } from '../../base/clock.ts';
import { MachineFailure } from '../machine.ts';
import type { CommandHost } from './commandHost.ts';
import { commandRunner } from './commandRunner.ts';
import { RemoteShell, type RunLimits, type ScriptRunner } from './remoteShell.ts';

/** A host that has no room now may have some later. */
const retryMs = 60_000;

export class StandingShell implements ScriptRunner {
  readonly #host: CommandHost;
  readonly #clock: Clock;
  readonly #other: () => StandingShell | undefined;
  /** Where no shell stays, each script has its command. */
  readonly #commands: ScriptRunner;
  #shell: RemoteShell | undefined;
  #opening: Promise<ScriptRunner> | undefined;
  #retryAtMs = 0;
  /** Of the other, and used last. */
  #leant: RemoteShell | undefined;
  /** Counts disposals: what was being opened before is not wanted any more. */
  #life = 0;

  /** `other` may answer instead, with the shell that it has. */
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

  /** A script costs no command of its own. */
  get stays(): boolean {
    return this.#standing !== undefined;
  }

  /** Takes a script twice when the shell is gone that was there before. */
  async run(script: string, limits?: RunLimits): Promise<Buffer> {
    const life = this.#life;
    const before = this.#standing;
    const runner = await this.#runner();
    try {
      return await runner.run(script, limits);
    } catch (error) {
      const isLost = error instanceof MachineFailure && error.reason === 'unreachable';
      if (isLost) this.#retryAtMs = 0;
      // A shell that was there before and is gone says nothing of the machine, which may be down
      // all the same.
      const isDown = this.#host.retryAfterMs > 0;
      if (!isLost || isDown || runner !== before || life !== this.#life) throw error;
    }
    return (await this.#runner()).run(script, limits);
  }

  /** Lets go of the shell. Another is opened when something is asked again. */
  dispose(): void {
    this.#life++;
    this.#retryAtMs = 0;
    this.#opening = undefined;
    this.#shell?.dispose();
    this.#shell = undefined;
  }

  /** Where it has one that answers. */
  get own(): RemoteShell | undefined {
    return this.#shell?.isOver === false ? this.#shell : undefined;
  }

  get #standing(): RemoteShell | undefined {
    return this.own ?? this.#other()?.own;
  }

  #runner(): Promise<ScriptRunner> | ScriptRunner {
    if (this.own) return this.own;
    // Where there was room for that one there is now for another.
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
