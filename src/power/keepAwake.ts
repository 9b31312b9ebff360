/**
 * Keeps the computer awake while there is work. Starts a tool of the operating system as a child
 * process, which keeps the computer awake until that process or Helios ends.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { withoutSecrets } from '../base/childEnvironment.ts';
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import type { Logger } from '../base/logger.ts';
import { placeHere, type Place } from '../base/place.ts';
import { currentPlatform } from '../base/platform.ts';
import { holderOf } from './holders.ts';

export interface KeepAwakeOptions {
  /** Returns whether the computer should stay awake. Called on every `update`. */
  isWanted(): boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly platform?: NodeJS.Platform;
  /** Default: the place of this process. */
  readonly place?: Place;
}

/**
 * Time for which the computer is kept awake after the work has ended, so that it does not fall
 * asleep between two sessions.
 */
const releaseAfterMs = 60_000;
/** Time that the tool has to end by itself after its input has closed. */
const killAfterMs = 5_000;

export class KeepAwake implements Disposable {
  readonly #options: KeepAwakeOptions;
  #child: ChildProcess | undefined;
  #release: Disposable | undefined;
  /** True after the tool has failed, so that it is started and reported only once. */
  #isUnavailable = false;

  constructor(options: KeepAwakeOptions) {
    this.#options = options;
  }

  /**
   * Starts or stops keeping the computer awake, according to `isWanted`. Never throws: a failure is
   * logged once.
   */
  update(): void {
    if (this.#options.isWanted()) {
      this.#release?.dispose();
      this.#release = undefined;
      this.#hold();
      return;
    }
    if (this.#child === undefined) return;
    this.#release ??= this.#options.clock.after(releaseAfterMs, () => this.dispose());
  }

  dispose(): void {
    this.#release?.dispose();
    this.#release = undefined;
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    child.stdin?.end();
    const late = this.#options.clock.after(killAfterMs, () => child.kill());
    child.once('close', () => late.dispose());
  }

  #hold(): void {
    if (this.#child !== undefined || this.#isUnavailable) return;
    const { platform = currentPlatform(), place = placeHere() } = this.#options;
    const holder = holderOf({ platform, env: process.env }, place);
    if (typeof holder === 'string') return this.#complain(holder);
    const [tool, ...args] = holder.command;
    const child = startHolder(tool, args, platform);
    this.#child = child;
    child.once('spawn', () => this.#options.logger.info(`Keeping ${holder.computer} awake`));
    child.once('error', ({ message }) => this.#complain(message));
    child.once('close', (code) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      this.#complain(`${tool} ended unexpectedly with ${code ?? 'a signal'}`);
    });
  }

  #complain(why: string): void {
    this.#child = undefined;
    if (!this.#isUnavailable) this.#options.logger.warn(`Cannot keep the computer awake: ${why}`);
    this.#isUnavailable = true;
  }
}

/** Starts a command that ends when its standard input closes, which the death of Helios does, too. */
function startHolder(tool: string, args: string[], platform: NodeJS.Platform): ChildProcess {
  const child = spawn(tool, args, {
    stdio: ['pipe', 'ignore', 'ignore'],
    // On Windows, a detached program would open a console.
    detached: platform !== 'win32',
    windowsHide: true,
    env: withoutSecrets(process.env),
  });
  // A broken pipe means that the tool has ended, which `close` reports.
  child.stdin.on('error', () => undefined);
  child.unref();
  unrefPipe(child.stdin);
  return child;
}

/**
 * Lets this process exit while the pipe is open. The pipe is a socket at run time, although its
 * type does not say so.
 */
function unrefPipe(pipe: Writable): void {
  if (pipe instanceof Socket) pipe.unref();
}
