/** Connects the streams of a command to an input source and an output reader. */
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
 * Calls `run` with the options of a streamed command, and watches the source `stdin` and the reader
 * `onStdout`. If either throws, the signal passed to `run` is aborted, which ends the command, and
 * the returned promise rejects with that error. Otherwise resolves with the result of `run`, after
 * the reader has consumed the last piece.
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
    ...(stdin && { stdin: reportingErrors(stdin, fail) }),
    onStdout(bytes) {
      if (ended.aborted) return;
      try {
        const pending = onStdout(bytes);
        if (pending) return (last = unlessAborted(pending.catch(fail), ended));
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
async function* reportingErrors(
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
 * Resolves when `pending` settles or the signal is aborted, because a slow reader must not delay
 * the end of an aborted command.
 */
function unlessAborted(pending: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      signal.removeEventListener('abort', settle);
      resolve();
    };
    signal.addEventListener('abort', settle, { once: true });
    pending.then(settle, settle);
  });
}
