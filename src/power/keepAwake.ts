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

export interface KeepAwakeOptions {
  /** Returns whether the computer should stay awake. Called on every `update`. */
  isWanted(): boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly platform?: NodeJS.Platform;
}

/**
 * Time for which the computer is kept awake after the work has ended, so that it does not fall
 * asleep between two sessions.
 */
const releaseAfterMs = 60_000;

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
    this.#child?.stdin?.end();
    this.#child = undefined;
  }

  #hold(): void {
    if (this.#child !== undefined || this.#isUnavailable) return;
    const command = holders[this.#options.platform ?? process.platform];
    if (command === undefined) return this.#complain('this operating system is not supported');
    const [tool, ...args] = command;
    const child = spawn(tool, args, {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      env: withoutSecrets(process.env),
    });
    this.#child = child;
    // The pipe closes with this process. A broken pipe means that the tool has ended, which `close`
    // reports.
    child.stdin.on('error', () => undefined);
    child.once('error', ({ message }) => this.#complain(message));
    child.once('close', (code) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      this.#complain(`${tool} ended unexpectedly with ${code ?? 'a signal'}`);
    });
    child.unref();
    unrefPipe(child.stdin);
  }

  #complain(why: string): void {
    this.#child = undefined;
    if (!this.#isUnavailable) this.#options.logger.warn(`Cannot keep the computer awake: ${why}`);
    this.#isUnavailable = true;
  }
}

type Command = readonly [tool: string, ...args: string[]];

/** Commands that keep the computer awake until their standard input is closed. */
const holders: Partial<Record<NodeJS.Platform, Command>> = {
  linux: [
    'systemd-inhibit',
    '--what=sleep:idle',
    '--mode=block',
    '--who=Helios',
    '--why=A research session is running',
    'cat',
  ],
  darwin: ['caffeinate', '-i', 'cat'],
};

/**
 * Lets this process exit while the pipe is open. The pipe is a socket at run time, although its
 * type does not say so.
 */
function unrefPipe(pipe: Writable): void {
  if (pipe instanceof Socket) pipe.unref();
}
