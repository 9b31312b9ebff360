import type { Clock } from '../base/clock.ts';
import { startIsolatedWorker } from '../base/isolatedWorker.ts';
import { formatDuration, oneLine } from '../base/text.ts';
import type { PageAnswers, PageJob, PageReply } from './pageJob.ts';
import { WebFailure } from './webFailure.ts';

export interface WorkerLimits {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeLimitMs?: number;
}

const usualLimitMs = 30_000;
const maxHeapMb = 512;

/**
 * Runs a job in a worker thread, which cannot read environment variables. Rejects with a
 * `WebFailure`: `content` if the page is unreadable, `timeout` after the time limit. Rejects with
 * the signal's reason on abort.
 */
export function readInWorker<Job extends PageJob>(
  job: Job,
  { clock, signal, timeLimitMs = usualLimitMs }: WorkerLimits,
): Promise<PageAnswers[Job['kind']]> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const worker = startIsolatedWorker({
      from: import.meta.url,
      name: 'pageWorker',
      data: job,
      maxHeapMb,
    });
    const settle = (act: () => void): void => {
      timer.dispose();
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

const unreadable = (why: string): WebFailure =>
  new WebFailure('content', `The page cannot be read: ${oneLine(why, 200)}.`);
