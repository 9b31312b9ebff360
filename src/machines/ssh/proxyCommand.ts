/**
 * Connects to a host through a `ProxyCommand` of the ssh config, whose stdin and stdout carry the
 * connection.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { Duplex } from 'node:stream';
import { thisSystem, type HostSystem } from '../../base/hostSystem.ts';
import { signalTree, windowsShell, type ProgramCall } from '../../base/windowsPrograms.ts';
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
  readonly #system: HostSystem;
  #stderrText = '';

  constructor(command: string, system: HostSystem = thisSystem()) {
    super();
    const { file, args, isVerbatim = false } = shellCall(command, system);
    const child = spawn(file, args, {
      stdio: 'pipe',
      // Use a separate process group, because the command may start several processes. Windows has
      // none; there, the command would get a console of its own.
      detached: system.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: isVerbatim,
      env: sshEnvironment(),
    });
    this.#child = child;
    this.#system = system;
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
      const signal = (name: NodeJS.Signals): void => signalTree(child.pid, name, this.#system);
      signal('SIGTERM');
      const killing = setTimeout(() => signal('SIGKILL'), killAfterMs);
      child.once('exit', () => clearTimeout(killing));
    }
    done(error);
  }
}

const shellCall = (command: string, system: HostSystem): ProgramCall =>
  system.platform === 'win32'
    ? windowsShell(system, command)
    : { file: system.env['SHELL'] ?? '/bin/sh', args: ['-c', `exec ${command}`] };
