/**
 * One shell on a host that stays, and runs a script per line: what is asked often costs neither a
 * session nor a login.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { MachineFailure } from '../machine.ts';
import type { CommandChannel, CommandHost } from './commandHost.ts';
import { commandLine, endGroupScript } from './remoteCommand.ts';

export interface RunLimits {
  /** Default 30 s, with the time for those before it. */
  readonly timeoutMs?: number | undefined;
  /** Default: as much as comes. */
  readonly maxBytes?: number | undefined;
}

/** Runs a POSIX script of one line on the host; resolves with what it wrote to stdout. */
export interface ScriptRunner extends Disposable {
  /**
   * Rejects with `MachineFailure`: `timeout`, `io` when the answer is too long, or the way there is
   * lost.
   */
  run(script: string, limits?: RunLimits): Promise<Buffer>;
}

interface Question {
  readonly resolve: (answer: Buffer) => void;
  readonly reject: (error: MachineFailure) => void;
  readonly timeout: Disposable;
  readonly maxBytes: number;
}

/**
 * Each answer ends with a word that only this shell knows; it is told by input, for arguments can
 * be listed by anyone.
 */
const loop = `LC_ALL=C; export LC_ALL; IFS= read -r m; while IFS= read -r l; do eval "$l"; printf '\\n%s\\n' "$m"; done`;

const answerTimeoutMs = 30_000;

export class RemoteShell implements ScriptRunner {
  readonly #channel: CommandChannel;
  readonly #clock: Clock;
  readonly #host: CommandHost;
  readonly #end: Buffer;
  /** Of the shell and everything that it runs. */
  #group: number | undefined;
  #pieces: Buffer[] = [];
  /** The last of what is held, in which the end of an answer may begin. */
  #recent = Buffer.alloc(0);
  #heldBytes = 0;
  #questions: Question[] = [];
  #isOver = false;
  #isEnded = false;
  #hasAnswered = false;

  /**
   * Rejects with `MachineFailure`: `unreachable`, or another reason where the host cannot do this.
   */
  static async open(host: CommandHost, clock: Clock): Promise<RemoteShell> {
    const opened = Promise.withResolvers<RemoteShell>();
    const listen = (channel: CommandChannel): void =>
      opened.resolve(new RemoteShell(channel, clock, host));
    await host.exec(commandLine(loop), { use: 'stream' }, listen);
    const shell = await opened.promise;
    // What start-up files print comes before the first answer. Without a group of its own nothing
    // of it is ever ended.
    const first = await shell.run(`printf '\\n%s' "$$"; kill -0 "-$$" 2>/dev/null || printf '\\n'`);
    const group = Number(first.subarray(first.lastIndexOf(10) + 1));
    if (group > 1) shell.#group = group;
    return shell;
  }

  private constructor(channel: CommandChannel, clock: Clock, host: CommandHost) {
    const word = `helios-${randomBytes(16).toString('hex')}`;
    this.#channel = channel;
    this.#clock = clock;
    this.#host = host;
    this.#end = Buffer.from(`\n${word}\n`);
    channel.on('data', (bytes: Buffer) => this.#take(bytes));
    channel.stderr.resume();
    channel.on('error', () => undefined);
    channel.once('exit', () => (this.#isEnded = true));
    channel.once('close', () => this.#close('the connection was lost'));
    channel.write(`${word}\n`);
  }

  /** It answers nothing more. */
  get isOver(): boolean {
    return this.#isOver || this.#channel.writableEnded;
  }

  /**
   * Many may be asked at a time; they are answered in turn. One that has to be ended takes the
   * shell with it.
   */
  run(
    script: string,
    { timeoutMs = answerTimeoutMs, maxBytes = Infinity }: RunLimits = {},
  ): Promise<Buffer> {
    if (this.isOver) return Promise.reject(this.#failure('the connection was lost'));
    return new Promise((resolve, reject) => {
      const timeout = this.#clock.after(timeoutMs, () => {
        reject(tooLate(this.#host.name, timeoutMs));
        this.#abandon();
      });
      this.#questions.push({ resolve, reject, timeout, maxBytes });
      this.#channel.write(`${script}\n`);
    });
  }

  dispose(): void {
    if (this.#questions.length > 0) this.#abandon();
    else this.#close('it is not used any more');
  }

  /** Ends what is being run, too. */
  #abandon(): void {
    if (this.#isOver) return;
    this.#close('it is not used any more');
    if (this.#group === undefined) return;
    const line = commandLine(endGroupScript(this.#group, 0));
    // It may be too late for it, with the way there lost: then the shell finds nobody to answer to.
    this.#host
      .exec(line, { use: 'urgent' }, (channel) => {
        channel.resume().on('error', () => undefined);
        channel.stderr.resume();
      })
      .catch(() => undefined);
  }

  #take(bytes: Buffer): void {
    this.#pieces.push(bytes);
    const recent = Buffer.concat([this.#recent, bytes]);
    this.#recent = recent.subarray(1 - this.#end.length);
    this.#heldBytes += bytes.length;
    if (recent.indexOf(this.#end) < 0) return this.#refuse(this.#heldBytes);
    let all = Buffer.concat(this.#pieces);
    for (let at = all.indexOf(this.#end); at >= 0; at = all.indexOf(this.#end)) {
      const question = this.#questions.shift();
      this.#hasAnswered = true;
      question?.timeout.dispose();
      question?.resolve(all.subarray(0, at));
      all = all.subarray(at + this.#end.length);
    }
    this.#pieces = all.length > 0 ? [all] : [];
    this.#recent = all.subarray(1 - this.#end.length);
    this.#heldBytes = all.length;
    this.#refuse(this.#heldBytes);
  }

  #refuse(heldBytes: number): void {
    const [question] = this.#questions;
    if (question === undefined || heldBytes <= question.maxBytes) return;
    question.reject(tooLong(this.#host.name, question.maxBytes));
    this.#abandon();
  }

  #close(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#channel.close();
    for (const { reject, timeout } of this.#questions.splice(0)) {
      timeout.dispose();
      reject(this.#failure(why));
    }
  }

  #failure(why: string): MachineFailure {
    if (this.#isEnded && !this.#hasAnswered)
      return new MachineFailure('denied', `${this.#host.name} keeps no shell open for this user.`);
    return new MachineFailure('unreachable', `${this.#host.name} does not answer: ${why}.`);
  }
}

export const tooLate = (name: string, timeoutMs: number): MachineFailure =>
  new MachineFailure('timeout', `${name} did not answer within ${timeoutMs / 1000} s.`);

export const tooLong = (name: string, maxBytes: number): MachineFailure =>
  new MachineFailure(
    'io',
    `The answer of ${name} is longer than ${maxBytes / 2 ** 20} MiB: ask for less.`,
  );
