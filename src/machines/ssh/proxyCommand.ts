/**
 * Connects to a host through a `ProxyCommand` of the ssh config, whose stdin and stdout carry the
 * connection.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { Duplex } from 'node:stream';
import { codeOf } from '../../base/errors.ts';
import { quotedReason } from '../../base/untrusted.ts';
import { sshEnvironment } from './sshEnvironment.ts';

const killAfterMs = 1000;
const maxStderrBytes = 4096;

/**
 * Stream to and from a ProxyCommand. Destroying the stream ends the command and its child
 * processes. When the command ends, the stream is destroyed with an error that quotes the last
 * stderr output.
 */
export class ProxyStream extends Duplex {
  readonly #child: ChildProcessWithoutNullStreams;
  #stderrText = '';

  constructor(command: string) {
    super();
    // Use a separate process group, because the command may start several processes.
    const child = spawn(process.env.SHELL ?? '/bin/sh', ['-c', `exec ${command}`], {
      stdio: 'pipe',
      detached: true,
      env: sshEnvironment(),
    });
    this.#child = child;
    child.stdout.on('data', (bytes: Buffer) => {
      if (!this.push(bytes)) child.stdout.pause();
    });
    child.stderr.on(
      'data',
      (bytes: Buffer) =>
        (this.#stderrText = (this.#stderrText + bytes.toString()).slice(-maxStderrBytes)),
    );
    // Ignore the error of a closed stdin, because the `close` event of the command reports its end.
    child.stdin.on('error', () => undefined);
    child.once('error', (error) => this.destroy(error));
    child.once('close', (code, signal) => {
      const reason = quotedReason(this.#stderrText, 'the ProxyCommand', 'it gave no reason');
      this.destroy(new Error(`the ProxyCommand ended (${signal ?? `code ${code}`}): ${reason}`));
    });
  }

  override _read(): void {
    this.#child.stdout.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#child.stdin.write(chunk, () => done());
  }

  override _final(done: () => void): void {
    this.#child.stdin.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const child = this.#child;
    if (child.exitCode === null && child.signalCode === null) {
      signalGroup(child.pid, 'SIGTERM');
      const killing = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), killAfterMs);
      child.once('exit', () => clearTimeout(killing));
    }
    done(error);
  }
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}
