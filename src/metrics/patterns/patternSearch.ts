/**
 * Searches lines with regular expressions that Helios did not write. An expression can take
 * exponential time for a line, so a worker thread searches, and is terminated when an expression
 * takes too long.
 */
import type { Worker } from 'node:worker_threads';
import { systemClock, type Clock } from '../../base/clock.ts';
import { toDisposable, type Disposable } from '../../base/disposable.ts';
import { startIsolatedWorker } from '../../base/isolatedWorker.ts';
import { shared, type FoundPoints, type PatternJob } from './patternJob.ts';

/**
 * - `found`: all lines were searched
 * - `slow`: the pattern with the index `pattern` took too long; `line` is the line at which it was
 *   stopped, and `isOneLine` tells whether that line alone took too long
 * - `failed`: the pattern cannot be used
 */
export type SearchOutcome =
  | { readonly kind: 'found'; readonly points: FoundPoints }
  | {
      readonly kind: 'slow';
      readonly pattern: number;
      readonly line: number;
      readonly isOneLine: boolean;
    }
  | { readonly kind: 'failed'; readonly pattern: number; readonly why: string };

type Stopped = Exclude<SearchOutcome, { readonly kind: 'found' }>;

/**
 * The time of a pattern is counted in ticks, so that time in which this process was suspended
 * counts as one tick.
 */
const tickMs = 250;
const maxTicks = 4;
/** Time that a pattern may take for the lines of one job. */
export const patternLimitMs = tickMs * maxTicks;
const maxHeapMb = 128;

interface Searcher {
  readonly worker: Worker;
  readonly position: Int32Array;
}

export class PatternSearch implements Disposable {
  readonly #clock: Clock;
  #searcher: Searcher | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isDisposed = false;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /**
   * Searches the lines of a job after the lines of all earlier jobs. Stops at the first pattern
   * that takes longer than `patternLimitMs` or cannot be used. Rejects if the worker cannot run.
   */
  search(job: PatternJob): Promise<SearchOutcome> {
    const outcome = this.#last.then(() => this.#run(job));
    this.#last = outcome.catch(() => undefined);
    return outcome;
  }

  /** Terminates the worker. Pending and later searches reject. */
  dispose(): void {
    this.#isDisposed = true;
    void this.#searcher?.worker.terminate();
    this.#searcher = undefined;
  }

  #run(job: PatternJob): Promise<SearchOutcome> {
    if (this.#isDisposed) return Promise.reject(new Error('the search was ended'));
    const { worker, position } = (this.#searcher ??= this.#start());
    const { promise, resolve, reject } = Promise.withResolvers<SearchOutcome>();
    const onReply = (points: FoundPoints): void => resolve({ kind: 'found', points });
    const stop = (stopped: Stopped | undefined, why: string): void => {
      this.#searcher = undefined;
      void worker.terminate();
      if (stopped === undefined) reject(new Error(`the worker failed: ${why}`));
      else resolve(stopped);
    };
    const onError = (error: Error): void => stop(blamed(position, error.message), error.message);
    const onExit = (): void => stop(undefined, 'it ended');
    const deadline = watchPosition(position, this.#clock, (slow) => stop(slow, ''));
    worker.on('message', onReply).on('error', onError).on('exit', onExit).ref();
    worker.postMessage(job);
    return promise.finally(() => {
      deadline.dispose();
      worker.off('message', onReply).off('error', onError).off('exit', onExit).unref();
    });
  }

  #start(): Searcher {
    const data = new SharedArrayBuffer(shared.length * Int32Array.BYTES_PER_ELEMENT);
    const name = 'patternWorker';
    const worker = startIsolatedWorker({ from: import.meta.url, name, data, maxHeapMb });
    const searcher = { worker, position: new Int32Array(data) };
    worker.on('error', () => undefined);
    // Also handles a failure while the worker searches nothing: the next job starts a new worker.
    worker.on('exit', () => {
      if (this.#searcher === searcher) this.#searcher = undefined;
    });
    return searcher;
  }
}

/** Returns the pattern that made the worker fail; `undefined` if it was not searching. */
function blamed(position: Int32Array, why: string): Stopped | undefined {
  const pattern = Atomics.load(position, shared.pattern) - 1;
  return pattern < 0 ? undefined : { kind: 'failed', pattern, why };
}

/** Calls `onSlow` once when the worker searches with the same pattern for `maxTicks`. */
function watchPosition(
  position: Int32Array,
  clock: Clock,
  onSlow: (slow: Stopped) => void,
): Disposable {
  let seen = { pattern: 0, line: 0, ticks: 0 };
  let timer: Disposable;
  const tick = (): void => {
    const pattern = Atomics.load(position, shared.pattern);
    const line = Atomics.load(position, shared.line);
    if (pattern === 0 || pattern !== seen.pattern) seen = { pattern, line, ticks: 0 };
    else seen.ticks += 1;
    if (seen.ticks < maxTicks) timer = clock.after(tickMs, tick);
    else onSlow({ kind: 'slow', pattern: pattern - 1, line, isOneLine: line === seen.line });
  };
  timer = clock.after(tickMs, tick);
  return toDisposable(() => timer.dispose());
}
