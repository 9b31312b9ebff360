/** The `claude`s that wait for their conversations to go on. */
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { Asked } from './asked.ts';
import type { LiveClaude } from './liveClaude.ts';
import { canBeHandedOver } from './toolServer.ts';

interface Waiting {
  readonly live: LiveClaude;
  /** Of the messages that it knows. */
  readonly digest: string;
  /** The calls whose results it waits for; none after an answer. */
  readonly callIds: readonly string[];
  readonly idle: Disposable;
}

/** A conversation that sleeps is taken up by a new one, from its messages. */
const maxIdleMs = 10 * 60_000;

export class Conversations {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Waiting>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The one whose conversation goes on with just this, told what is new; it is the caller's from
   * now on. Another one that waited under the name is ended.
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

  async keep(conversation: string, kept: Omit<Waiting, 'idle'>): Promise<void> {
    await this.release(conversation);
    const idle = this.#clock.after(maxIdleMs, () => void this.release(conversation));
    this.#waiting.set(conversation, { ...kept, idle });
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
 * What is said beside results is not taken from a `claude` at work as what it is, and neither are
 * some attachments: then a new one reads the whole.
 */
function goesOn(
  { live, digest, callIds }: Waiting,
  { setupDigest, prefixDigest, results, said }: Asked,
): boolean {
  if (live.setupDigest !== setupDigest || digest !== prefixDigest) return false;
  if (callIds.length === 0) return results.length === 0 && said.length > 0;
  const given = new Set(results.map((result) => result.tool_use_id));
  return (
    said.length === 0 && results.every(canBeHandedOver) && callIds.every((id) => given.has(id))
  );
}
