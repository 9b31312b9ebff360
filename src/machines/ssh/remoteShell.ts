/** One shell on a host that stays, and runs a script per line: what is asked often costs neither a session nor a login. */
import { randomBytes } from 'node:crypto';
import type { ClientChannel } from 'ssh2';
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { MachineFailure } from '../machine.ts';
import { commandLine } from './remoteCommand.ts';
import type { SshConnection } from './sshConnection.ts';

/** Runs a POSIX script of one line on the host; resolves with what it wrote to stdout. */
export interface ScriptRunner extends Disposable {
  run(script: string): Promise<Buffer>;
}

interface Question {
  readonly resolve: (answer: Buffer) => void;
  readonly reject: (error: MachineFailure) => void;
  readonly timeout: Disposable;
}

/** Each answer ends with a word that only this shell knows; it is told by input, for arguments can be listed by anyone. */
const loop = `LC_ALL=C; export LC_ALL; IFS= read -r m; while IFS= read -r l; do eval "$l"; printf '\\n%s\\n' "$m"; done`;

const answerTimeoutMs = 30_000;

export class RemoteShell implements ScriptRunner {
  readonly #channel: ClientChannel;
  readonly #clock: Clock;
  readonly #host: string;
  readonly #end: Buffer;
  #pieces: Buffer[] = [];
  #questions: Question[] = [];
  #isOver = false;

  /** Rejects with `MachineFailure`: `unreachable`, or another reason where the host cannot do this. */
  static async open(connection: SshConnection, clock: Clock): Promise<RemoteShell> {
    const opened = Promise.withResolvers<RemoteShell>();
    const listen = (channel: ClientChannel): void =>
      opened.resolve(new RemoteShell(channel, clock, connection.target.host));
    await connection.exec(commandLine(loop), { use: 'stream' }, listen);
    const shell = await opened.promise;
    // What start-up files print comes before the first answer.
    await shell.run(':');
    return shell;
  }

  private constructor(channel: ClientChannel, clock: Clock, host: string) {
    const word = `helios-${randomBytes(16).toString('hex')}`;
    this.#channel = channel;
    this.#clock = clock;
    this.#host = host;
    this.#end = Buffer.from(`\n${word}\n`);
    channel.on('data', (bytes: Buffer) => this.#take(bytes));
    channel.stderr.resume();
    channel.on('error', () => undefined);
    channel.once('close', () => this.#close('the connection was lost'));
    channel.write(`${word}\n`);
  }

  /** Many may be asked at a time; they are answered in turn. */
  run(script: string): Promise<Buffer> {
    if (this.#isOver) return Promise.reject(this.#failure('the connection was lost'));
    return new Promise((resolve, reject) => {
      const timeout = this.#clock.after(answerTimeoutMs, () => this.#close('it did not answer in time'));
      this.#questions.push({ resolve, reject, timeout });
      this.#channel.write(`${script}\n`);
    });
  }

  dispose(): void {
    this.#close('it is not used any more');
  }

  #take(bytes: Buffer): void {
    this.#pieces.push(bytes);
    // The end may be cut in two by a piece's border.
    const recent = Buffer.concat(this.#pieces.splice(-2));
    this.#pieces.push(recent);
    if (recent.indexOf(this.#end) < 0) return;
    let all = Buffer.concat(this.#pieces);
    for (let at = all.indexOf(this.#end); at >= 0; at = all.indexOf(this.#end)) {
      const question = this.#questions.shift();
      question?.timeout.dispose();
      question?.resolve(all.subarray(0, at));
      all = all.subarray(at + this.#end.length);
    }
    this.#pieces = all.length > 0 ? [all] : [];
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
    return new MachineFailure('unreachable', `${this.#host} does not answer: ${why}.`);
  }
}
