/** Connects a command to its input source and its output reader, for streams of any length. */
import type { Writable } from 'node:stream';
import type { StreamOptions, StreamResult } from './machine.ts';

/**
 * Writes `source` to `sink` with backpressure, and ends `sink`. Stops when `sink` closes. When the
 * source throws, `sink` is not ended, so that an incomplete input cannot pass for a complete one.
 * Never throws.
 */
export function pour(source: AsyncIterable<Uint8Array>, sink: Writable): void {
  const iterator = source[Symbol.asyncIterator]();
  let isOver = false;
  const stop = (): void => {
    if (isOver) return;
    isOver = true;
    sink.off('close', stop);
    // Do not await: a source that waits for more data would block the caller.
    void iterator.return?.().catch(() => undefined);
  };
  const take = ({ done, value }: IteratorResult<Uint8Array, unknown>): void => {
    if (isOver) return;
    if (done) {
      stop();
      sink.end();
    } else if (sink.write(value)) step();
    else sink.once('drain', step);
  };
  const step = (): void => void iterator.next().then(take).catch(stop);
  sink.once('close', stop);
  if (sink.closed) stop();
  else step();
}

/**
 * Calls `run` with a source and a reader that never throw. If the original source or reader throws,
 * or the signal is aborted, the command is ended, and the returned promise then rejects with that
 * error. Resolves after the last piece was consumed.
 */
export async function guardedStream(
  options: StreamOptions,
  run: (options: StreamOptions) => Promise<StreamResult>,
): Promise<StreamResult> {
  const { stdin, onStdout, signal } = options;
  const faults: { readonly error: unknown }[] = [];
  const broken = new AbortController();
  const fail = (error: unknown): void => {
    faults.push({ error });
    broken.abort();
  };
  let last = Promise.resolve();
  const ended = signal ? AbortSignal.any([signal, broken.signal]) : broken.signal;
  const result = await run({
    ...options,
    ...(stdin && { stdin: withoutThrowing(stdin, fail) }),
    onStdout(bytes) {
      if (ended.aborted) return;
      try {
        const taken = onStdout(bytes);
        if (taken) return (last = unlessAborted(taken.catch(fail), ended));
      } catch (error) {
        fail(error);
      }
    },
    signal: ended,
  }).catch((error: unknown) => {
    throw faults[0] ? faults[0].error : error;
  });
  await last;
  if (faults[0]) throw faults[0].error;
  return result;
}

/**
 * Yields the pieces of a source. Reports an error of the source before throwing it, so that the
 * consumer does not mistake the error for the end of the input.
 */
async function* withoutThrowing(
  source: AsyncIterable<Uint8Array>,
  fail: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    fail(error);
    throw error;
  }
}

/**
 * Resolves when `taken` settles or the signal is aborted, because a slow reader must not delay the
 * end of an aborted command.
 */
function unlessAborted(taken: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      signal.removeEventListener('abort', settle);
      resolve();
    };
    signal.addEventListener('abort', settle, { once: true });
    taken.then(settle, settle);
  });
}
