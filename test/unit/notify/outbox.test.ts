import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { Message } from '../../../src/notify/notification.ts';
import { Outbox } from '../../../src/notify/outbox.ts';
import { TokenBucket } from '../../../src/notify/tokenBucket.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { message } from './message.ts';

const minute = 60_000;

describe('what is on its way to a channel', () => {
  let clock: ManualClock;
  let sent: Message[];
  let failures: unknown[];
  let send: (one: Message) => Promise<void>;
  let outbox: Outbox;
  beforeEach(() => {
    clock = new ManualClock();
    sent = [];
    failures = [];
    send = (one) => Promise.resolve(void sent.push(one));
    const channel = { name: 'any', send: (one: Message) => send(one) };
    outbox = new Outbox({ channel, clock, onFailed: (error) => failures.push(error) });
  });
  const post = (from: number, to: number): void => {
    for (let run = from; run <= to; run += 1)
      outbox.post(message({ title: `Run ${run}`, body: '' }));
  };
  const titles = (): string[] => sent.map(({ title }) => title);

  it('goes by fives after a quiet hour, not by as many as there would have been', async () => {
    await clock.advance(60 * minute);
    post(1, 6);
    await outbox.settled;
    assert.deepEqual(titles(), ['Run 1', 'Run 2', 'Run 3', 'Run 4', 'Run 5']);
  });

  it('takes a token with what has waited, and gets one in two minutes', async () => {
    post(1, 6);
    await clock.advance(2 * minute - 1);
    assert.equal(sent.length, 5);
    await clock.advance(1);
    assert.equal(sent.length, 6);
    post(7, 7);
    await clock.advance(2 * minute - 1);
    assert.equal(sent.length, 6);
    await clock.advance(1);
    assert.equal(sent.at(-1)?.title, 'Run 7');
  });

  it('waits behind what waits already, though there is a token by then', async () => {
    let nowMs = 0;
    // Its timers are late, as after a suspended night.
    const late = { now: () => nowMs, after: () => ({ dispose: () => undefined }) };
    outbox = new Outbox({
      channel: { name: 'any', send: (one) => send(one) },
      clock: late,
      onFailed: assert.fail,
    });
    post(1, 6);
    nowMs += 5 * minute;
    post(7, 7);
    await outbox.settled;
    assert.equal(sent.length, 5);
    outbox.flush();
    await outbox.settled;
    assert.equal(sent.at(-1)?.title, 'Helios: 2 notifications');
  });

  it('forgets the oldest of more than five hundred', async () => {
    post(1, 507);
    outbox.flush();
    await outbox.settled;
    assert.equal(sent.at(-1)?.title, 'Helios: 500 notifications');
    assert.match(sent.at(-1)?.body ?? '', /Run 507\nand 495 more/);
  });

  it('goes one at a time, in order, past what fails', async () => {
    let isSending = false;
    send = async (one) => {
      assert.equal(isSending, false);
      isSending = true;
      await Promise.resolve();
      isSending = false;
      sent.push(one);
      if (one.title === 'Run 2') throw new Error('lost');
    };
    post(1, 3);
    await outbox.settled;
    assert.deepEqual(titles(), ['Run 1', 'Run 2', 'Run 3']);
    assert.deepEqual(failures.map(String), ['Error: lost']);
    send = () => Promise.reject(new Error('told alone'));
    await assert.rejects(outbox.tell(message()), /told alone/);
    assert.equal(failures.length, 1, 'who tells hears of it, and nobody else');
  });

  it('is not sent once it was let go of', async () => {
    post(1, 6);
    outbox.dispose();
    await clock.advance(60 * minute);
    assert.equal(sent.length, 5);
    assert.equal(clock.pendingTimers, 0);
  });
});

describe('a bucket of tokens', () => {
  const take = (bucket: TokenBucket): number => {
    let count = 0;
    while (bucket.take()) count += 1;
    return count;
  };

  it('holds no more than it can, and keeps what was begun of the next one', async () => {
    const clock = new ManualClock();
    const bucket = new TokenBucket({ clock, capacity: 3, refillMs: 100 });
    assert.equal(bucket.msUntilNext(), 0);
    await clock.advance(10_000);
    assert.equal(take(bucket), 3);
    await clock.advance(250);
    assert.equal(take(bucket), 2);
    assert.equal(bucket.msUntilNext(), 50);
    await clock.advance(49);
    assert.equal(take(bucket), 0);
    await clock.advance(1);
    assert.equal(take(bucket), 1);
  });

  it('counts the next one from when one is missing', async () => {
    const clock = new ManualClock();
    const bucket = new TokenBucket({ clock, capacity: 1, refillMs: 100 });
    await clock.advance(50);
    assert.equal(take(bucket), 1);
    assert.equal(bucket.msUntilNext(), 100);
  });

  it('gives nothing and takes nothing when the clock is set back', () => {
    let nowMs = 1_000_000;
    const clock = { now: () => nowMs, after: () => ({ dispose: () => undefined }) };
    const bucket = new TokenBucket({ clock, capacity: 3, refillMs: 100 });
    assert.ok(bucket.take());
    nowMs -= 50_000;
    assert.equal(take(bucket), 2);
    assert.equal(bucket.msUntilNext(), 100);
    nowMs += 100;
    assert.equal(take(bucket), 1);
  });
});
