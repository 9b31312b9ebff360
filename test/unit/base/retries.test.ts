import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  backoffMs,
  retry,
  retryAfterMs,
  type RetryDeps,
  type RetryPolicy,
} from '../../../src/base/retries.ts';
import { ManualClock } from '../../fakes/manualClock.ts';

describe('the waits of a policy', () => {
  const waits = (policy: RetryPolicy, random?: () => number): readonly number[] =>
    [0, 1, 2, 3, 4].map((retries) => backoffMs(policy, retries, random));

  const policies: readonly (readonly [
    what: string,
    policy: RetryPolicy,
    waitsMs: readonly number[],
  ])[] = [
    ['are all the same without a factor', { firstMs: 500 }, [500, 500, 500, 500, 500]],
    [
      'grow by the factor up to the longest',
      { firstMs: 100, factor: 2, longestMs: 500 },
      [100, 200, 400, 500, 500],
    ],
    [
      'are those of the list, the last one repeated',
      { waitsMs: [30, 60, 120] },
      [30, 60, 120, 120, 120],
    ],
  ];
  for (const [what, policy, waitsMs] of policies)
    it(what, () => assert.deepEqual(waits(policy), waitsMs));

  it('leave the share of the jitter to chance', () => {
    const policy: RetryPolicy = { firstMs: 100, factor: 2, longestMs: 400, jitter: 0.5 };
    assert.deepEqual(
      waits(policy, () => 0),
      [50, 100, 200, 200, 200],
    );
    assert.deepEqual(
      waits(policy, () => 0.5),
      [75, 150, 300, 300, 300],
    );
  });

  it('stay finite after any number of failures', () => {
    assert.equal(backoffMs({ firstMs: 500, factor: 2, longestMs: 60_000 }, 100_000), 60_000);
  });
});

describe('retry', () => {
  const clock = new ManualClock();
  let triedMs: number[];

  /** Fails so many times, then succeeds. Moves the clock until it is over, at most by a day. */
  async function run(
    policy: RetryPolicy,
    failures: number,
    deps: Partial<RetryDeps> = {},
  ): Promise<string> {
    triedMs = [];
    const startMs = clock.now();
    const again = (_: unknown, waitMs: number): number => waitMs;
    let isOver = false;
    const result = retry(policy, { clock, again, ...deps }, (retries) => {
      triedMs.push(clock.now() - startMs);
      return retries < failures
        ? Promise.reject(new Error(`failure ${retries}`))
        : Promise.resolve(`after ${retries}`);
    }).finally(() => (isOver = true));
    result.catch(() => undefined);
    for (let ms = 0; !isOver && ms < 86_400_000; ms += 100) await clock.advance(100);
    return result;
  }

  it('resolves with what the first try that succeeds gives', async () => {
    assert.equal(await run({ firstMs: 100, factor: 2 }, 0), 'after 0');
    assert.equal(await run({ firstMs: 100, factor: 2 }, 3), 'after 3');
    assert.deepEqual(triedMs, [0, 100, 300, 700]);
  });

  it('rejects with the last failure when the retries are used up', async () => {
    await assert.rejects(run({ firstMs: 100, maxRetries: 2 }, 9), /failure 2/);
    assert.deepEqual(triedMs, [0, 100, 200]);
  });

  it('rejects with the failure that comes after the time is over', async () => {
    await assert.rejects(run({ firstMs: 400, withinMs: 1000 }, 9), /failure 3/);
    assert.deepEqual(triedMs, [0, 400, 800, 1200]);
  });

  it('does not repeat what is not worth it, and asks only while there is a further try', async () => {
    const asked: unknown[] = [];
    const again = (error: unknown, waitMs: number): number | undefined => {
      asked.push((error as Error).message);
      return asked.length < 2 ? waitMs : undefined;
    };
    await assert.rejects(run({ firstMs: 100 }, 9, { again }), /failure 1/);
    await assert.rejects(run({ firstMs: 100, maxRetries: 0 }, 9, { again }), /failure 0/);
    assert.deepEqual(asked, ['failure 0', 'failure 1']);
  });

  it('waits as long as it is told to', async () => {
    await run({ firstMs: 100 }, 2, { again: (_, waitMs) => Math.max(waitMs, 700) });
    assert.deepEqual(triedMs, [0, 700, 1400]);
  });

  it('ends a wait when the signal is aborted, with its reason', async () => {
    const over = new AbortController();
    clock.after(300, () => over.abort(new Error('enough')));
    await assert.rejects(run({ firstMs: 1000 }, 9, { signal: over.signal }), /enough/);
    assert.deepEqual([triedMs, clock.pendingTimers], [[0], 0]);
  });

  it('makes no further try for a failure that comes after the abort', async () => {
    const again = (): number => assert.fail('not worth asking');
    await assert.rejects(
      run({ firstMs: 100 }, 9, { signal: AbortSignal.abort(), again }),
      /failure 0/,
    );
  });
});

describe('a Retry-After header', () => {
  const nowMs = Date.UTC(2026, 0, 1);
  const headers: readonly (readonly [string | null, number | undefined])[] = [
    ['7', 7000],
    [' 1.5 ', 1500],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [null, undefined],
  ];
  for (const [header, waitMs] of headers)
    it(`is read: ${header}`, () => assert.equal(retryAfterMs(header, nowMs), waitMs));
});
