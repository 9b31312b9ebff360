import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ModelStream } from '../../../src/models/guarded.ts';
import {
  noUsage,
  type ModelFailure,
  type ModelFailureReason,
  type ModelReply,
} from '../../../src/models/model.ts';
import { retrying, type RetryOptions } from '../../../src/models/retrying.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { hear, request, type Reading } from './conversing.ts';

const good: ModelReply = {
  content: [{ type: 'text', text: 'good' }],
  stop: 'stop',
  usage: noUsage,
  model: 'm',
};
const bad = (reason: ModelFailureReason, more: Partial<ModelFailure> = {}): ModelReply => ({
  ...good,
  content: [],
  stop: 'error',
  failure: { reason, message: reason, ...more },
});

describe('retrying', () => {
  const clock = new ManualClock();

  /** Reads the replies through `retrying`; also gives the waits and the number of calls. */
  async function run(
    replies: readonly ModelReply[],
    options: Partial<RetryOptions> = {},
    reading: Partial<Reading> = {},
  ) {
    let calls = 0;
    const stream: ModelStream = async function* () {
      yield await Promise.resolve({ type: 'text.delta', text: `attempt ${calls}` } as const);
      yield { type: 'finished', reply: replies[calls++] ?? good };
    };
    const heard = await hear(retrying(stream, { clock, random: () => 0, ...options }), request(), {
      clock,
      ...reading,
    });
    const waits = heard.events.flatMap((event) =>
      event.type === 'attempt.discarded' ? [event.delayMs] : [],
    );
    return { ...heard, waits, calls };
  }

  for (const reason of ['rate_limit', 'network', 'server'] as const)
    it(`makes ${reason} anew`, async () => {
      const { reply, calls, shown } = await run([bad(reason)]);
      assert.deepEqual([reply, calls, shown], [good, 2, 'attempt 1']);
    });

  for (const reason of ['auth', 'invalid', 'overflow', 'refused'] as const)
    it(`leaves ${reason} as it is`, async () => {
      const { reply, calls } = await run([bad(reason)]);
      assert.deepEqual([reply.failure?.reason, calls], [reason, 1]);
    });

  it('waits longer each time, between half and all of a bounded back-off', async () => {
    const down = Array.from({ length: 9 }, () => bad('server'));
    const min = await run(down, { maxRetries: 8 });
    assert.deepEqual(min.waits, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    const max = await run(down, { maxRetries: 8, random: () => 0.999999 });
    assert.deepEqual(max.waits, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('waits as long as the provider asks, if that is bearable', async () => {
    assert.deepEqual((await run([bad('rate_limit', { retryAfterMs: 90_000 })])).waits, [90_000]);
    const { reply, waits } = await run([bad('rate_limit', { retryAfterMs: 3_600_000 })]);
    assert.deepEqual([reply.failure?.retryAfterMs, waits], [3_600_000, []]);
  });

  it('gives the failure of the last attempt', async () => {
    const { reply, calls } = await run([bad('server'), bad('server'), bad('network')], {
      maxRetries: 2,
    });
    assert.deepEqual([reply.failure?.reason, calls], ['network', 3]);
  });

  it('adds up what the discarded attempts were charged', async () => {
    const usage = { inputTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 3, outputTokens: 4 };
    const { reply } = await run([
      { ...bad('server'), usage },
      { ...bad('server'), usage },
    ]);
    assert.deepEqual(reply.discardedUsage, {
      inputTokens: 2,
      cacheReadTokens: 4,
      cacheWriteTokens: 6,
      outputTokens: 8,
    });
    assert.deepEqual(reply.usage, noUsage);
  });

  it('ends at once when it is aborted in the wait, with no further call', async () => {
    const controller = new AbortController();
    const { reply, calls } = await run(
      [bad('server')],
      {},
      {
        signal: controller.signal,
        keepsClock: true,
        on: ({ type }) =>
          void (type === 'attempt.discarded' && setImmediate(() => controller.abort())),
      },
    );
    assert.deepEqual(
      [reply.stop, reply.content, calls, clock.pendingTimers],
      ['aborted', [], 1, 0],
    );
  });

  it('does not wait at all when it is already aborted', async () => {
    const controller = new AbortController();
    const { reply, calls } = await run(
      [bad('server')],
      {},
      {
        signal: controller.signal,
        keepsClock: true,
        on: ({ type }) => void (type === 'attempt.discarded' && controller.abort()),
      },
    );
    assert.deepEqual([reply.stop, calls], ['aborted', 1]);
  });
});
