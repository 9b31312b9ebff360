/**
 * A host whose every byte the test says: when a command begins and ends, in how many pieces it
 * prints, when the way is lost.
 */
import { Duplex, PassThrough } from 'node:stream';
import { MachineFailure } from '../../src/machines/machine.ts';
import type {
  ChannelOptions,
  CommandChannel,
  CommandHost,
} from '../../src/machines/remote/commandHost.ts';

/** Lets what was said be heard. */
export const heard = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class ScriptedChannel extends Duplex implements CommandChannel {
  readonly line: string;
  readonly options: ChannelOptions;
  readonly stderr = new PassThrough();
  /** What it was given as its input. */
  written = '';
  isLetGo = false;
  /** With it the channel answers as a shell that stays; `undefined` is no answer. */
  answers: ((script: string) => string | undefined) | undefined;
  #answered = 0;

  constructor(line: string, options: ChannelOptions) {
    super();
    this.line = line;
    this.options = options;
  }

  override _read(): void {
    // What is said is pushed.
  }

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    this.written += bytes.toString();
    if (this.answers) this.#answer(this.answers);
    done();
  }

  /** The lines that it was given as a shell, without the word that ends its answers. */
  get scripts(): readonly string[] {
    return this.written.split('\n').slice(1, -1);
  }

  /** The word that ends the answers of this shell. */
  get word(): string {
    return `\n${this.written.split('\n')[0]}\n`;
  }

  say(bytes: string | Uint8Array): void {
    this.push(bytes);
  }

  /** Answers the questions of a shell as they come, and those that it was asked before. */
  answer(answers: (script: string) => string | undefined): void {
    this.answers = answers;
    this.#answer(answers);
  }

  /** The command begins, as a process of this number. */
  begin(pid = 4711): void {
    const marker = /helios-[0-9a-f]+/.exec(this.line)?.[0] ?? '';
    this.push(marker);
    this.stderr.write(`${marker} ${pid}\n`);
  }

  exit(code: number | null, signal?: string): void {
    this.emit('exit', code, signal);
  }

  /** The way is lost: nothing more is heard. */
  lose(): void {
    this.destroy();
  }

  close(): void {
    this.isLetGo = true;
    this.destroy();
  }

  #answer(answers: (script: string) => string | undefined): void {
    for (; this.#answered < this.scripts.length; this.#answered += 1) {
      const script = this.scripts[this.#answered] ?? '';
      // The first question of a shell is who it is.
      const text = script.includes('kill -0 "-$$"') ? '\n4711' : answers(script);
      if (text === undefined) return;
      this.push(`${text}${this.word}`);
    }
  }
}

export class ScriptedHost implements CommandHost {
  readonly name = 'gpu1';
  retryAfterMs = 0;
  /** Every command, in the order in which they were begun. */
  readonly channels: ScriptedChannel[] = [];
  /** Where it is set no command begins. */
  refusal: MachineFailure | undefined;
  /** Shells answer so. */
  answers: ScriptedChannel['answers'];

  exec(
    line: string,
    options: ChannelOptions,
    listen: (channel: CommandChannel) => void,
  ): Promise<void> {
    if (this.refusal) return Promise.reject(this.refusal);
    const channel = new ScriptedChannel(line, options);
    channel.answers = this.answers;
    this.channels.push(channel);
    listen(channel);
    return Promise.resolve();
  }

  /** The command that was begun last. */
  get last(): ScriptedChannel {
    const channel = this.channels.at(-1);
    if (channel === undefined) throw new Error('No command was begun.');
    return channel;
  }
}

export const unreachable = (): MachineFailure =>
  new MachineFailure('unreachable', 'gpu1 cannot be reached.');
