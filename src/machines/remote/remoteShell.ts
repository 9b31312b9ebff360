/**
 * Keeps one shell open on a host and runs one script per line in it, so that frequent scripts need
 * neither a session nor a login.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { MachineFailure } from '../machine.ts';
import type { CommandChannel, CommandHost } from './commandHost.ts';
import { commandLine, endGroupScript } from './remoteCommand.ts';
import { formatDuration } from '../../base/text.ts';

export interface RunLimits {
  /** Time limit, which includes the time spent waiting for earlier scripts. Default: 30 s. */
  readonly timeoutMs?: number | undefined;
  /** Maximum size of the output. Default: `maxAnswerBytes`. */
  readonly maxBytes?: number | undefined;
}

/** Runs one-line POSIX scripts on the host. */
export interface ScriptRunner extends Disposable {
  /**
   * Resolves with the stdout of the script. Rejects with `MachineFailure`: `timeout`, `io` when the
   * answer is too long, or the reason for which the connection was lost.
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
 * Script of the shell: evaluates each line of stdin, and prints a secret end mark after each
 * answer. The shell reads the end mark from stdin, because any user of the host can see the
 * arguments of processes.
 */
const loop = `LC_ALL=C; export LC_ALL; IFS= read -r m; while IFS= read -r l; do eval "$l"; printf '\\n%s\\n' "$m"; done`;

const answerTimeoutMs = 30_000;
/**
 * Default maximum size of an answer. Larger than a listing of the folders of all followed runs, and
 * than a part of a followed file.
 */
export const maxAnswerBytes = 16 * 2 ** 20;

export class RemoteShell implements ScriptRunner {
  readonly #channel: CommandChannel;
  readonly #clock: Clock;
  readonly #host: CommandHost;
  readonly #end: Buffer;
  /** Process group of the shell and everything that it runs. */
  #group: number | undefined;
  #pieces: Buffer[] = [];
  /** Last received bytes, in which the end mark of an answer may begin. */
  #recent = Buffer.alloc(0);
  #heldBytes = 0;
  #questions: Question[] = [];
  #isOver = false;
  #isEnded = false;
  #hasAnswered = false;

  /**
   * Opens a shell. Rejects with `MachineFailure`: `unreachable`, or another reason if the host does
   * not support standing shells.
   */
  static async open(host: CommandHost, clock: Clock): Promise<RemoteShell> {
    const opened = Promise.withResolvers<RemoteShell>();
    const listen = (channel: CommandChannel): void =>
      opened.resolve(new RemoteShell(channel, clock, host));
    await host.exec(commandLine(loop), { use: 'stream' }, listen);
    const shell = await opened.promise;
    // Read past the output of start-up files, which precedes the first answer. Store the process
    // group, which is used to end the shell, only if the shell does not share it.
    const first = await shell.run(`printf '\\n%s' "$$"; kill -0 "-$$" 2>/dev/null || printf '\\n'`);
    const group = Number(first.subarray(first.lastIndexOf(10) + 1));
    if (group > 1) shell.#group = group;
    return shell;
  }

  private constructor(channel: CommandChannel, clock: Clock, host: CommandHost) {
    const endMark = `helios-${randomBytes(16).toString('hex')}`;
    this.#channel = channel;
    this.#clock = clock;
    this.#host = host;
    this.#end = Buffer.from(`\n${endMark}\n`);
    channel.on('data', (bytes: Buffer) => this.#take(bytes));
    channel.stderr.resume();
    channel.on('error', () => undefined);
    channel.once('exit', () => (this.#isEnded = true));
    channel.once('close', () => this.#close('the connection was lost'));
    channel.write(`${endMark}\n`);
  }

  /** True once the shell accepts no more scripts. */
  get isOver(): boolean {
    return this.#isOver || this.#channel.writableEnded;
  }

  /**
   * Runs a script. Concurrent scripts are queued. A script that exceeds a limit is ended together
   * with the shell.
   */
  run(
    script: string,
    { timeoutMs = answerTimeoutMs, maxBytes = maxAnswerBytes }: RunLimits = {},
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
    else this.#close('its connection was closed');
  }

  /** Ends the shell and the running script. */
  #abandon(): void {
    if (this.#isOver) return;
    this.#close('its connection was closed');
    if (this.#group === undefined) return;
    const line = commandLine(endGroupScript(this.#group, 0));
    // Ignore a failure: after a lost connection, the shell ends by itself, because it cannot write
    // its answer.
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
    // If no script is running, nothing was requested from the host, so the default limit applies.
    const { maxBytes } = question ?? { maxBytes: maxAnswerBytes };
    if (heldBytes <= maxBytes) return;
    question?.reject(tooLong(this.#host.name, maxBytes));
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
      return new MachineFailure(
        'denied',
        `${this.#host.name} does not keep a shell open for this user.`,
      );
    return new MachineFailure('unreachable', `${this.#host.name} does not answer: ${why}.`);
  }
}

export const tooLate = (name: string, timeoutMs: number): MachineFailure =>
  new MachineFailure('timeout', `${name} did not answer within ${formatDuration(timeoutMs)}.`);

export const tooLong = (name: string, maxBytes: number): MachineFailure =>
  new MachineFailure(
    'io',
    `The answer of ${name} is longer than ${Number((maxBytes / 2 ** 20).toPrecision(3))} MiB. Ask for less.`,
  );
