import type { Clock } from '../base/clock.ts';
import { toDisposable, type Disposable } from '../base/disposable.ts';
import { messageOf } from '../base/errors.ts';
import { formatDuration } from '../base/text.ts';

export interface Poll {
  /** From the end of one look to the begin of the next; twice as long after each failure in a row, up to a minute. */
  readonly everyMs: number;
  /** A look that takes longer is given up: a hanging one never keeps the next from being tried. */
  readonly timeoutMs: number;
  /** Once true, it is not looked at again. */
  readonly staysMet: boolean;
  check(signal: AbortSignal): Promise<boolean>;
}

export interface PollSink {
  met(isMet: boolean): void;
  failed(message: string): void;
}

const longestPauseMs = 60_000;

/** Looks at once, then again and again until disposed. */
export function poll(clock: Clock, { everyMs, timeoutMs, staysMet, check }: Poll, sink: PollSink): Disposable {
  let isOver = false;
  let failures = 0;
  let pending: Disposable | undefined;
  let attempt = new AbortController();

  const again = (): void => {
    pending = clock.after(Math.min(everyMs * 2 ** failures, Math.max(everyMs, longestPauseMs)), look);
  };
  const look = (): void => {
    const own = new AbortController();
    attempt = own;
    const settle = (report: () => void): void => {
      if (isOver || own.signal.aborted) return;
      own.abort();
      pending?.dispose();
      report();
      if (!isOver) again();
    };
    pending = clock.after(timeoutMs, () =>
      settle(() => {
        failures += 1;
        sink.failed(`no answer within ${formatDuration(timeoutMs)}`);
      }),
    );
    check(own.signal).then(
      (isMet) =>
        settle(() => {
          failures = 0;
          isOver = isMet && staysMet;
          sink.met(isMet);
        }),
      (error: unknown) =>
        settle(() => {
          failures += 1;
          sink.failed(messageOf(error));
        }),
    );
  };

  look();
  return toDisposable(() => {
    isOver = true;
    pending?.dispose();
    attempt.abort();
  });
}
