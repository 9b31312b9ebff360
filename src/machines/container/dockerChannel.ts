/**
 * Runs one command in a container. Separates its stdout and stderr, which arrive multiplexed, and
 * learns how the command ended from a line that a wrapper shell writes to stderr.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:os';
import { Duplex, Readable } from 'node:stream';
import { shellQuote } from '../../base/text.ts';
import type { CommandChannel } from '../remote/commandHost.ts';

const headerBytes = 8;
const stderrKind = 2;

/**
 * Returns an argv that runs `line` and then reports how `line` ended. The exit code that the engine
 * reports is not enough: for a command that signal n ended, the code is 128 + n, as for a command
 * that exited with that code. A shell, however, writes a message to its stderr if a signal ended
 * its child process (except for INT and PIPE, which are therefore reported as exit codes). So two
 * shells wrap the command: the inner shell waits for the command; the outer shell reads the inner
 * shell's stderr, and writes `marker code [signalled]` to stderr after all stderr of the command.
 * Without this report, it is unknown how the command ended.
 */
export function reportingArgv(line: string, marker: string): string[] {
  // The command gets its own session and process group, so that it can be ended without ending the
  // two wrapper shells.
  const lead = 'command -v setsid >/dev/null && exec setsid /bin/sh -c "$1"';
  const command = `exec <&3 >&5 2>&6 3<&- 5>&- 6>&-; ${lead}; eval "$1"`;
  const waiting = `/bin/sh -c ${shellQuote(command)} sh "$1"; echo "$?"`;
  const listening = [
    'exec 3<&0 5>&1 6>&2 </dev/null',
    `m=$(/bin/sh -c ${shellQuote(waiting)} sh "$1" 2>&1)`,
    'c=${m##*',
    '} s=; [ "$c" = "$m" ] || s=signalled',
    'printf "%s %s %s\\n" "$0" "$c" "$s" >&6',
  ].join('\n');
  return ['/bin/sh', '-c', listening, marker, line];
}

export const newMarker = (): string => `helios-end-${randomBytes(8).toString('hex')}`;

const signalNames = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name]),
);

export class DockerChannel extends Duplex implements CommandChannel {
  readonly stderr: Readable;
  readonly #stream: Duplex;
  readonly #marker: Buffer;
  readonly #header = Buffer.alloc(headerBytes);
  #headerLength = 0;
  #payloadLeft = 0;
  /**
   * Last bytes of the received stderr, not passed on yet because they may be the start of the
   * report.
   */
  #held = Buffer.alloc(0);
  #isOver = false;

  /** @param stream Result of starting an exec, with stdout and stderr multiplexed. */
  constructor(stream: Duplex, marker: string) {
    super();
    this.#stream = stream;
    this.#marker = Buffer.from(marker);
    this.stderr = new Readable({ read: () => stream.resume() });
    stream.on('data', (bytes: Buffer) => this.#take(bytes));
    stream.on('error', () => this.#finish());
    stream.once('end', () => this.#finish());
    stream.once('close', () => this.#finish());
    let open = 2;
    const onEnd = (): void => void (--open === 0 && this.destroy());
    this.once('end', onEnd);
    this.stderr.once('end', onEnd);
  }

  close(): void {
    this.destroy();
  }

  override _read(): void {
    this.#stream.resume();
  }

  override _write(
    bytes: Buffer,
    _encoding: BufferEncoding,
    done: (error?: Error | null) => void,
  ): void {
    this.#stream.write(bytes, done);
  }

  override _final(done: () => void): void {
    this.#stream.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#isOver = true;
    this.#stream.destroy();
    done(error);
  }

  #take(bytes: Buffer): void {
    let rest = bytes;
    let isRoom = true;
    while (rest.length > 0) {
      if (this.#payloadLeft === 0) rest = this.#takeHeader(rest);
      const payload = rest.subarray(0, this.#payloadLeft);
      rest = rest.subarray(payload.length);
      this.#payloadLeft -= payload.length;
      if (payload.length === 0) continue;
      if (this.#header[0] === stderrKind) isRoom = this.#takeStderr(payload) && isRoom;
      else isRoom = this.push(payload) && isRoom;
    }
    if (!isRoom) this.#stream.pause();
  }

  #takeHeader(bytes: Buffer): Buffer {
    const copiedBytes = bytes.copy(
      this.#header,
      this.#headerLength,
      0,
      headerBytes - this.#headerLength,
    );
    this.#headerLength += copiedBytes;
    if (this.#headerLength === headerBytes) {
      this.#headerLength = 0;
      this.#payloadLeft = this.#header.readUInt32BE(4);
    }
    return bytes.subarray(copiedBytes);
  }

  /**
   * Passes on received stderr, and interprets the report in it. Returns `false` when the reader's
   * buffer is full.
   */
  #takeStderr(bytes: Buffer): boolean {
    this.#held = Buffer.concat([this.#held, bytes]);
    const at = this.#held.indexOf(this.#marker);
    const free = at >= 0 ? at : this.#held.length - this.#beginningLength();
    const isRoom = free === 0 || this.stderr.push(this.#held.subarray(0, free));
    this.#held = this.#held.subarray(free);
    const lineEnd = at < 0 ? -1 : this.#held.indexOf(10);
    if (lineEnd < 0) return isRoom;
    const report = this.#held.subarray(0, lineEnd).toString('latin1');
    const after = this.#held.subarray(lineEnd + 1);
    this.#held = Buffer.alloc(0);
    this.#report(report);
    return after.length === 0 ? isRoom : this.stderr.push(after);
  }

  /** Returns how many of the last bytes of `#held` may be the start of the marker. */
  #beginningLength(): number {
    const start = Math.max(0, this.#held.length - this.#marker.length + 1);
    for (let at = this.#held.indexOf(this.#marker[0] ?? 0, start); at >= 0;) {
      if (this.#marker.indexOf(this.#held.subarray(at)) === 0) return this.#held.length - at;
      at = this.#held.indexOf(this.#marker[0] ?? 0, at + 1);
    }
    return 0;
  }

  #report(line: string): void {
    const [, codeText = '', how] = line.split(' ');
    const code = Number(codeText);
    const signal =
      how === 'signalled' ? (signalNames.get(code - 128) ?? `SIG${code - 128}`) : undefined;
    if (signal !== undefined) this.emit('exit', null, signal);
    else if (/^\d+$/.test(codeText)) this.emit('exit', code);
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#held.length > 0) this.stderr.push(this.#held);
    this.stderr.push(null);
    this.push(null);
  }
}
