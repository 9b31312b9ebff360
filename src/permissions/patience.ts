/** Limits how long the gate waits for a user who may not be there. */
import { delay, type Clock } from '../base/clock.ts';

/**
 * Total time for which the gate waits for answers, until the user does something in Helios. After
 * that, the user is treated as absent: calls are refused at once and the agent tries something
 * else, so that the work does not stop overnight.
 */
const answerWithinMs = 10 * 60_000;

export interface Question<Answer> {
  /**
   * Asks the user. Rejects if no user can be asked. Once the signal is aborted, the answer is
   * ignored.
   */
  ask(signal: AbortSignal): Promise<Answer>;
  /** Time for which this question waits, if it is shorter than the usual time. */
  readonly limitMs?: number | undefined;
}

/** Waits for the answers of the user, for a limited time until they do something. */
export class Patience {
  readonly #clock: Clock;
  #waitedMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  renew(): void {
    this.#waitedMs = 0;
  }

  /**
   * Resolves with the answer, with `nobody` when time is up, or with `withdrawn` after an abort.
   */
  async answer<Answer>(
    { ask, limitMs = answerWithinMs }: Question<Answer>,
    signal: AbortSignal,
  ): Promise<Answer | 'nobody' | 'withdrawn'> {
    const withinMs = Math.min(limitMs, answerWithinMs - this.#waitedMs);
    if (withinMs <= 0) return 'nobody';
    const startedMs = this.#clock.now();
    const answer = await this.#answerWithin(ask, withinMs, signal);
    if (answer === 'nobody') this.#waitedMs += this.#clock.now() - startedMs;
    else if (answer !== 'withdrawn') this.renew();
    return answer;
  }

  async #answerWithin<Answer>(
    ask: Question<Answer>['ask'],
    withinMs: number,
    signal: AbortSignal,
  ): Promise<Answer | 'nobody' | 'withdrawn'> {
    const replyEnd = new AbortController();
    const late = new AbortController();
    const nobody = (): 'nobody' => 'nobody';
    // Stops waiting when the call is aborted, even if the dialog stays open.
    const silence = delay(this.#clock, withinMs, AbortSignal.any([signal, replyEnd.signal])).then(
      nobody,
      nobody,
    );
    try {
      const reply = ask(AbortSignal.any([signal, late.signal])).catch(nobody);
      const answer = await Promise.race([reply, silence]);
      return answer === 'nobody' && signal.aborted ? 'withdrawn' : answer;
    } finally {
      replyEnd.abort();
      late.abort();
    }
  }
}
