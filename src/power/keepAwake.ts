/**
 * Keeps the computer from going to sleep by itself while there is work. One child of the system's
 * own tool holds it awake; it ends with this process, however that ends.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import type { Logger } from '../base/logger.ts';

export interface KeepAwakeOptions {
  /** Asked whenever `update` is called. */
  isWanted(): boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly platform?: NodeJS.Platform;
}

/**
 * Work that ends and begins anew, one session after the other, lets the computer not fall asleep in
 * between.
 */
const releaseAfterMs = 60_000;

export class KeepAwake implements Disposable {
  readonly #options: KeepAwakeOptions;
  #child: ChildProcess | undefined;
  #release: Disposable | undefined;
  /** Set once the tool could not be used: it is not tried, and not complained about, again. */
  #isUnavailable = false;

  constructor(options: KeepAwakeOptions) {
    this.#options = options;
  }

  /**
   * Takes hold or lets go, as is wanted now. Never throws: a computer that cannot be held is said
   * once, in the log.
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
    if (command === undefined)
      return this.#complain('this system has no tool for it that Helios knows');
    const [tool, ...args] = command;
    const child = spawn(tool, args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    this.#child = child;
    // The pipe ends with this process; a broken one is the tool's end, which is told by `close`.
    child.stdin.on('error', () => undefined);
    child.once('error', ({ message }) => this.#complain(message));
    child.once('close', (code) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      this.#complain(`${tool} ended by itself with ${code ?? 'a signal'}`);
    });
    child.unref();
    unrefPipe(child.stdin);
  }

  #complain(why: string): void {
    this.#child = undefined;
    if (!this.#isUnavailable)
      this.#options.logger.warn(`The computer cannot be kept awake: ${why}`);
    this.#isUnavailable = true;
  }
}

type Command = readonly [tool: string, ...args: string[]];

/** Each ends when its input does. */
const holders: Partial<Record<NodeJS.Platform, Command>> = {
  linux: [
    'systemd-inhibit',
    '--what=sleep:idle',
    '--mode=block',
    '--who=Helios',
    '--why=A research session is going on',
    'cat',
  ],
  darwin: ['caffeinate', '-i', 'cat'],
};

/** The pipe of a child is a socket, which the types do not tell. */
function unrefPipe(pipe: Writable): void {
  if (pipe instanceof Socket) pipe.unref();
}
