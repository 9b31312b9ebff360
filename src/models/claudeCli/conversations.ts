/** The idle `claude` processes that wait for the next request of their conversations. */
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { Asked } from './asked.ts';
import type { LiveClaude } from './liveClaude.ts';
import { canBeHandedOver } from './toolServer.ts';

interface Waiting {
  readonly live: LiveClaude;
  /** Digest of the messages that the process already has. */
  readonly digest: string;
  /** Ids of the calls whose results the process waits for; empty after an answer without calls. */
  readonly callIds: readonly string[];
  readonly idle: Disposable;
}

/**
 * Maximum idle time of a process. A process that is idle for longer is ended; the next request then
 * starts a new process with the whole conversation.
 */
const maxIdleMs = 10 * 60_000;

export class Conversations {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Waiting>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Takes the waiting process of the request's conversation, sends it the new messages or results,
   * and returns it; the caller then owns the process. If the request does not continue exactly what
   * the process knows, ends the process and resolves with `undefined`.
   */
  async resume(asked: Asked): Promise<LiveClaude | undefined> {
    const waiting = this.#take(asked.request.conversation);
    if (waiting === undefined) return undefined;
    if (!goesOn(waiting, asked)) {
      await waiting.live.end();
      return undefined;
    }
    if (waiting.callIds.length > 0) waiting.live.hand(asked.results);
    else waiting.live.say(asked.said);
    return waiting.live;
  }

  async keep(conversation: string, waiting: Omit<Waiting, 'idle'>): Promise<void> {
    await this.release(conversation);
    const idle = this.#clock.after(maxIdleMs, () => void this.release(conversation));
    this.#waiting.set(conversation, { ...waiting, idle });
  }

  async release(conversation: string): Promise<void> {
    await this.#take(conversation)?.live.end();
  }

  #take(conversation: string | undefined): Waiting | undefined {
    const waiting = conversation === undefined ? undefined : this.#waiting.get(conversation);
    if (conversation === undefined || waiting === undefined) return undefined;
    waiting.idle.dispose();
    this.#waiting.delete(conversation);
    return waiting;
  }
}

/**
 * Returns whether the waiting process can continue with the request. If the request has text
 * together with results, or certain attachments, a running `claude` would alter that content; a new
 * process has to read the whole conversation instead.
 */
function goesOn(
  { live, digest, callIds }: Waiting,
  { setupDigest, prefixDigest, results, said }: Asked,
): boolean {
  if (live.setupDigest !== setupDigest || digest !== prefixDigest) return false;
  if (callIds.length === 0) return results.length === 0 && said.length > 0;
  const resultIds = new Set(results.map((result) => result.tool_use_id));
  return (
    said.length === 0 && results.every(canBeHandedOver) && callIds.every((id) => resultIds.has(id))
  );
}
