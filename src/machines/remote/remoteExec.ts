/** Runs one command on a host and reports how it ended. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { DisposableStore } from '../../base/disposable.ts';
import { messageOf } from '../../base/errors.ts';
import { quotedReason } from '../../base/untrusted.ts';
import { MachineFailure, type ExecOptions, type ExecOutcome } from '../machine.ts';
import { pour } from '../pouring.ts';
import type { CommandChannel, CommandHost } from './commandHost.ts';
import { commandLine, commandScript, endGroupScript } from './remoteCommand.ts';

export interface RemoteExec extends Pick<ExecOptions, 'env' | 'timeoutMs' | 'signal'> {
  readonly cwd: string;
  /** See `RemoteCommand.isPosix`. */
  readonly isPosix?: boolean;
  readonly stdin?: ExecOptions['stdin'] | AsyncIterable<Uint8Array>;
  /** Reading pauses until a returned promise settles. */
  onStdout(bytes: Uint8Array): void | Promise<void>;
  onStderr(bytes: Uint8Array): void;
}

/** Delay between SIGTERM and SIGKILL when a command is ended because of a timeout. */
const timeoutGraceMs = 2000;
/**
 * Delay between SIGTERM and SIGKILL when a command is ended because of an abort. Shorter, because a
 * user may be waiting.
 */
const abortGraceMs = 500;
/** Time that the host has to report the end of a killed command. */
const reportGraceMs = 10_000;
/**
 * Time without output after which the output of an ended command is considered complete, if child
 * processes of the command keep its pipes open.
 */
const lingerMs = 1000;
const maxNoiseBytes = 1024 * 1024;

/**
 * Runs a command. Rejects with `MachineFailure` when the command did not run or it is unknown how
 * the command ended. A lost connection is never reported as an exit code.
 */
export async function execRemote(
  host: CommandHost,
  command: string,
  exec: RemoteExec,
  clock: Clock,
): Promise<ExecOutcome> {
  if (exec.signal?.aborted) return { kind: 'aborted' };
  const marker = `helios-${randomBytes(8).toString('hex')}`;
  const { cwd, isPosix = false, env = {}, stdin, signal } = exec;
  const { script, input } = commandScript(
    { command, isPosix, cwd, env, hasStdin: stdin !== undefined },
    marker,
  );
  try {
    const ended = Promise.withResolvers<ExecOutcome>();
    ended.promise.catch(() => undefined);
    await host.exec(commandLine(script), { signal }, (channel) => {
      if (input !== '') channel.write(input);
      new RemoteProcess({ host, channel, exec, clock, marker })
        .ended()
        .then(ended.resolve, ended.reject);
    });
    return await ended.promise;
  } catch (error) {
    if (error instanceof MachineFailure) throw error;
    if (signal?.aborted) return { kind: 'aborted' };
    throw new MachineFailure('io', `The command could not be run: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}

interface RemoteProcessDeps {
  readonly host: CommandHost;
  readonly channel: CommandChannel;
  readonly exec: RemoteExec;
  readonly clock: Clock;
  readonly marker: string;
}

class RemoteProcess {
  readonly #deps: RemoteProcessDeps;
  readonly #timers = new DisposableStore();
  readonly #end = Promise.withResolvers<ExecOutcome>();
  readonly #stderr: AfterMarker;
  #linger = { dispose: (): void => undefined };
  #group: number | undefined;
  #isMissingFolder = false;
  #isHeld = false;
  #stop: { readonly outcome: ExecOutcome; readonly graceMs: number } | undefined;
  #ownOutcome: ExecOutcome | undefined;

  constructor(deps: RemoteProcessDeps) {
    this.#deps = deps;
    const { channel, exec, marker, clock } = deps;
    const stdout = new AfterMarker(marker, (bytes) => this.#pass(bytes));
    this.#stderr = new AfterMarker(marker, this.#takeHeader(exec));
    channel.on('data', (bytes: Buffer) => this.#take(stdout, bytes));
    channel.stderr.on('data', (bytes: Buffer) => this.#take(this.#stderr, bytes));
    // Ignore the error of a command that ended without reading its input.
    channel.on('error', () => undefined);
    channel.once('exit', (code: number | null, by?: string) => this.#exited(code, by));
    channel.once('close', () => this.#closed());
    const { timeoutMs, signal, stdin } = exec;
    if (timeoutMs !== undefined)
      this.#timers.add(
        clock.after(timeoutMs, () =>
          this.#cutShort({ kind: 'timed_out', afterMs: timeoutMs }, timeoutGraceMs),
        ),
      );
    const onAbort = (): void => this.#cutShort({ kind: 'aborted' }, abortGraceMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#timers.add({ dispose: () => signal?.removeEventListener('abort', onAbort) });
    if (signal?.aborted) onAbort();
    feed(channel, stdin);
  }

  ended(): Promise<ExecOutcome> {
    return this.#end.promise;
  }

  /**
   * Returns a function that receives stderr after the marker. It interprets the first line as the
   * header of `commandScript`, and passes on everything after that line.
   */
  #takeHeader(exec: RemoteExec): (bytes: Uint8Array) => void {
    let header = Buffer.alloc(0);
    let isOver = false;
    return (bytes) => {
      if (isOver) return exec.onStderr(bytes);
      header = Buffer.concat([header, bytes]);
      const end = header.indexOf(10);
      if (end < 0) return;
      isOver = true;
      this.#begun(header.subarray(0, end).toString('latin1').trim());
      if (end + 1 < header.length) exec.onStderr(header.subarray(end + 1));
    };
  }

  #begun(header: string): void {
    if (header === 'nofolder') this.#isMissingFolder = true;
    else this.#group = Number(header);
    if (this.#stop) this.#kill(this.#stop.graceMs);
  }

  #take(stream: AfterMarker, bytes: Buffer): void {
    stream.push(bytes);
    if (this.#ownOutcome) this.#lingerOn();
  }

  #pass(bytes: Uint8Array): void {
    const { channel, exec } = this.#deps;
    const pending = exec.onStdout(bytes);
    if (pending === undefined) return;
    this.#isHeld = true;
    channel.pause();
    const resume = (): void => {
      this.#isHeld = false;
      channel.resume();
    };
    pending.then(resume, resume);
  }

  #cutShort(outcome: ExecOutcome, graceMs: number): void {
    if (this.#stop ?? this.#ownOutcome) return;
    this.#stop = { outcome, graceMs };
    this.#timers.add(this.#deps.clock.after(graceMs + reportGraceMs, () => this.#giveUp()));
    if (this.#group !== undefined) this.#kill(graceMs);
  }

  #kill(graceMs: number): void {
    if (this.#group === undefined) return;
    const line = commandLine(endGroupScript(this.#group, graceMs));
    const killing = this.#deps.host.exec(line, { use: 'urgent' }, (channel) => {
      channel.on('error', () => undefined).resume();
      channel.stderr.resume();
    });
    // Ignore the error: if the command does not end, `#giveUp` reports that.
    killing.catch(() => undefined);
  }

  #giveUp(): void {
    const { channel, host } = this.#deps;
    this.#end.reject(
      new MachineFailure(
        'timeout',
        `${host.name} did not confirm that the killed command has ended. It may still be running.`,
      ),
    );
    channel.close();
  }

  #exited(code: number | null, by: string | undefined): void {
    this.#ownOutcome =
      code === null
        ? { kind: 'signalled', signal: (by ?? 'unknown').replace(/^SIG/, '').replace(/@.*/, '') }
        : { kind: 'exited', code };
    this.#lingerOn();
  }

  #lingerOn(): void {
    this.#linger.dispose();
    const letGo = (): void => (this.#isHeld ? this.#lingerOn() : this.#deps.channel.close());
    this.#linger = this.#deps.clock.after(lingerMs, letGo);
  }

  #closed(): void {
    this.#timers.dispose();
    this.#linger.dispose();
    const outcome = this.#ownOutcome && (this.#stop?.outcome ?? this.#ownOutcome);
    if (outcome === undefined) this.#end.reject(this.#unknownEnd());
    else if (this.#isMissingFolder) this.#end.reject(this.#missingFolder());
    else if (this.#group === undefined && this.#stop === undefined)
      this.#end.reject(this.#refused());
    else this.#end.resolve(outcome);
  }

  #unknownEnd(): MachineFailure {
    const { name } = this.#deps.host;
    const unknownPart =
      this.#group === undefined ? 'Whether it started' : 'It started; whether it ended, and how,';
    return new MachineFailure(
      'unreachable',
      `The connection to ${name} was lost during a command. ${unknownPart} is unknown.`,
    );
  }

  #missingFolder(): MachineFailure {
    return new MachineFailure(
      'missing',
      `There is no folder ${this.#deps.exec.cwd} to run a command in.`,
    );
  }

  #refused(): MachineFailure {
    const { name } = this.#deps.host;
    return new MachineFailure(
      'denied',
      `${name} does not run commands for this user: ${quotedReason(this.#stderr.noise, name, 'it gave no reason')}.`,
    );
  }
}

function feed(channel: CommandChannel, stdin: RemoteExec['stdin']): void {
  if (stdin === undefined || typeof stdin === 'string' || stdin instanceof Uint8Array)
    channel.end(typeof stdin === 'string' ? Buffer.from(stdin) : stdin);
  else pour(stdin, channel);
}

/**
 * Passes on the bytes after the marker, and omits the output of start-up files, which precedes the
 * marker.
 */
class AfterMarker {
  readonly #marker: Buffer;
  readonly #pass: (bytes: Uint8Array) => void;
  #before: Buffer | undefined = Buffer.alloc(0);

  constructor(marker: string, pass: (bytes: Uint8Array) => void) {
    this.#marker = Buffer.from(marker);
    this.#pass = pass;
  }

  get noise(): string {
    return (this.#before ?? '').toString();
  }

  push(bytes: Buffer): void {
    if (this.#before === undefined) return this.#pass(bytes);
    this.#before = Buffer.concat([this.#before, bytes]);
    const at = this.#before.indexOf(this.#marker);
    if (at < 0) {
      this.#before = this.#before.subarray(-maxNoiseBytes);
      return;
    }
    const rest = this.#before.subarray(at + this.#marker.length);
    this.#before = undefined;
    if (rest.length > 0) this.#pass(rest);
  }
}
