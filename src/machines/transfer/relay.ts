/**
 * Pipes the output of a command on one machine to a command on another, without storing it in
 * between.
 */
import { MachineFailure, type Machine } from '../machine.ts';
import { exitCode, inOnePiece, shellLine, type Bytes } from './ends.ts';

/** Size of the buffer between the two commands, from which the reading command is paused. */
const maxHeldBytes = 1024 * 1024;

export interface RelayEnd {
  readonly machine: Machine;
  readonly script: string;
}

export interface RelayOptions {
  /** Input of the reading command. */
  readonly stdin?: Bytes;
  readonly signal?: AbortSignal | undefined;
  onBytes(count: number): void;
}

export interface RelayEnded {
  readonly code: number;
  readonly stderr: string;
}

/**
 * Pipes the reading command at the source to the writing command at the destination; resolves when
 * both have ended. The writing command sees the end of its input only after the reading command has
 * exited. If the writing command ends early, the reading command is ended, and `source` is absent.
 * Rejects with `MachineFailure`, or with the signal's reason.
 */
export async function relay(
  from: RelayEnd,
  to: RelayEnd,
  { stdin, signal, onBytes }: RelayOptions,
): Promise<{ readonly source: RelayEnded | undefined; readonly target: RelayEnded }> {
  const cut = new AbortController();
  const both = signal ? AbortSignal.any([signal, cut.signal]) : cut.signal;
  const line = new Line();
  const read = from.machine
    .stream(shellLine(from.script), {
      cwd: '/',
      ...(stdin !== undefined && { stdin: inOnePiece(stdin) }),
      onStdout: (bytes) => {
        onBytes(bytes.length);
        return line.push(bytes);
      },
      signal: both,
    })
    .then((result) => {
      // A killed command has not written everything: its end must not be mistaken for the end of
      // the content.
      if (result.outcome.kind === 'exited') line.end();
      else
        line.fail(
          new MachineFailure(
            'io',
            `${from.machine.id} did not send everything. Retry the transfer.`,
          ),
        );
      return result;
    });
  read.catch((error: unknown) => {
    line.fail(error);
  });
  const written = to.machine.stream(shellLine(to.script), {
    cwd: '/',
    stdin: line,
    onStdout: () => undefined,
    signal: both,
  });
  written.then(
    ({ outcome }) => {
      // The writing command has all that it needs, such as an archive up to its end mark. Discard
      // what the reading command still sends, such as padding, so that the reading command can
      // finish.
      if (outcome.kind === 'exited' && outcome.code === 0) line.discard();
      else cut.abort();
    },
    () => cut.abort(),
  );
  const [source, target] = await Promise.allSettled([read, written]);
  signal?.throwIfAborted();
  if (source.status === 'rejected') throw source.reason;
  if (target.status === 'rejected') throw target.reason;
  const { outcome, stderr } = source.value;
  return {
    source:
      outcome.kind === 'aborted' ? undefined : { code: exitCode(source.value, signal), stderr },
    target: { code: exitCode(target.value, signal), stderr: target.value.stderr },
  };
}

/** Passes pieces from one side to the other; delays the writer when the reader is slow. */
class Line implements AsyncIterable<Uint8Array> {
  readonly #pieces: Uint8Array[] = [];
  #heldBytes = 0;
  #isDiscarded = false;
  #end: { readonly error?: unknown } | undefined;
  #wakeReader = (): void => undefined;
  #wakeWriter = (): void => undefined;

  push(bytes: Uint8Array): void | Promise<void> {
    if (this.#isDiscarded) return;
    this.#pieces.push(bytes);
    this.#heldBytes += bytes.length;
    this.#wakeReader();
    if (this.#heldBytes > maxHeldBytes)
      return new Promise((resolve) => (this.#wakeWriter = resolve));
  }

  /** Drops all further pieces without delaying the writer. */
  discard(): void {
    this.#isDiscarded = true;
    this.#pieces.length = 0;
    this.#wakeWriter();
  }

  end(): void {
    this.#end ??= {};
    this.#wakeReader();
  }

  fail(error: unknown): void {
    this.#end ??= { error };
    this.#wakeReader();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const bytes = this.#pieces.shift();
      if (bytes) {
        this.#heldBytes -= bytes.length;
        if (this.#heldBytes <= maxHeldBytes / 2) this.#wakeWriter();
        yield bytes;
      } else if (this.#end) {
        if ('error' in this.#end) throw this.#end.error;
        return;
      } else await new Promise<void>((resolve) => (this.#wakeReader = resolve));
    }
  }
}
