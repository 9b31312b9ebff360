import type { Worker } from 'node:worker_threads';
import type { Clock } from '../base/clock.ts';
import { toDisposable, type Disposable } from '../base/disposable.ts';
import { startIsolatedWorker } from '../base/isolatedWorker.ts';
import { formatDuration, oneLine } from '../base/text.ts';
import type { PageAnswers, PageJob, PageReply } from './pageJob.ts';
import { WebFailure } from './webFailure.ts';

export interface WorkerLimits {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeLimitMs?: number;
  /** Maximum memory of the worker in MiB, including buffers outside its heap. */
  readonly maxMemoryMb?: number;
}

const usualLimitMs = 30_000;
const usualMemoryMb = 512;
/** Milliseconds between two measurements of the worker's memory. */
const measureMs = 50;

/**
 * Runs a job in a worker thread, which cannot read environment variables. Rejects with a
 * `WebFailure`: `content` if the page is unreadable or needs too much memory, `timeout` after the
 * time limit. Rejects with the signal's reason on abort.
 */
export function readInWorker<Job extends PageJob>(
  job: Job,
  { clock, signal, timeLimitMs = usualLimitMs, maxMemoryMb = usualMemoryMb }: WorkerLimits,
): Promise<PageAnswers[Job['kind']]> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const worker = startIsolatedWorker({
      from: import.meta.url,
      name: 'pageWorker',
      data: job,
      maxHeapMb: maxMemoryMb,
    });
    const settle = (act: () => void): void => {
      timer.dispose();
      measurement.dispose();
      signal.removeEventListener('abort', onAbort);
      void worker.terminate();
      act();
    };
    const fail = (failure: Error): void => settle(() => reject(failure));
    const onAbort = (): void => fail(signal.reason as Error);
    const timer = clock.after(timeLimitMs, () =>
      fail(
        new WebFailure(
          'timeout',
          `The page could not be read within ${formatDuration(timeLimitMs)}.`,
        ),
      ),
    );
    const measurement = watchMemory(worker, clock, maxMemoryMb * mb, () =>
      fail(new WebFailure('content', tooMuchMemory(maxMemoryMb))),
    );
    signal.addEventListener('abort', onAbort, { once: true });
    worker.once('message', (reply: PageReply) =>
      settle(() =>
        'problem' in reply ? reject(unreadable(reply.problem)) : resolve(reply.answer as never),
      ),
    );
    worker.once('error', (error: Error) => fail(unreadable(error.message)));
    worker.once('exit', () => fail(unreadable('the reader ended')));
  });
}

const mb = 2 ** 20;

/**
 * Calls `onExceeded` once when the worker uses more memory than `maxBytes`. Needed because the heap
 * limit of a worker does not include buffers, such as the unpacked content of a PDF.
 */
function watchMemory(
  worker: Worker,
  clock: Clock,
  maxBytes: number,
  onExceeded: () => void,
): Disposable {
  // Node before 22.16 cannot measure a worker; the time limit still holds.
  if (!('getHeapStatistics' in worker)) return toDisposable(() => undefined);
  let timer: Disposable;
  let isDisposed = false;
  const measure = async (): Promise<void> => {
    const heap = await worker.getHeapStatistics().catch(() => undefined);
    if (isDisposed) return;
    if (heap !== undefined && heap.used_heap_size + heap.external_memory > maxBytes) onExceeded();
    else measureLater();
  };
  const measureLater = (): void => {
    timer = clock.after(measureMs, () => void measure());
  };
  measureLater();
  return toDisposable(() => {
    isDisposed = true;
    timer.dispose();
  });
}

const tooMuchMemory = (maxMemoryMb: number): string =>
  `The page needs more than ${maxMemoryMb} MB of memory to be read. To read it, download it on a machine with remote_exec, and extract its text there.`;

const unreadable = (why: string): WebFailure =>
  new WebFailure('content', `The page cannot be read: ${oneLine(why, 200)}.`);
