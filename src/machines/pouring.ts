/** The two ends of a stream without limit: what a command reads, and who reads what it writes. */
import type { Writable } from 'node:stream';
import type { StreamOptions, StreamResult } from './machine.ts';

/**
 * Writes `source` to `sink` as fast as that takes it, and ends it. Stops when nobody reads any
 * more. Of a source that throws, `sink` is not ended: what is not whole must not pass for whole.
 * Never throws.
 */
export function pour(source: AsyncIterable<Uint8Array>, sink: Writable): void {
  const iterator = source[Symbol.asyncIterator]();
  let isOver = false;
  const stop = (): void => {
    if (isOver) return;
    isOver = true;
    sink.off('close', stop);
    // A source that waits for more would hold up whoever waits for its end.
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
 * Runs `run` with a source and a reader that do not throw: where one does, or is called off, the
 * command is ended. What was thrown is what this rejects with, once the command has ended. Resolves
 * after the last piece has been taken.
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

/** After a fault it says nothing more: its end would be taken for the end of the input. */
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

/** A reader that holds on must not hold up the end of what was aborted. */
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
