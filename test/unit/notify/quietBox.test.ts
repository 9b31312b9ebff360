import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { NotifyFailure } from '../../../src/notify/channel.ts';
import {
  HeldMessages,
  type HeldMessage,
  type HeldRoute,
} from '../../../src/notify/heldMessages.ts';
import type { Message } from '../../../src/notify/notification.ts';
import { QuietBox } from '../../../src/notify/quietBox.ts';
import { writeFileAtomic } from '../../../src/storage/atomicFile.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { message } from './message.ts';

const minute = 60_000;
const hour = 60 * minute;
const noon = new Date(2026, 2, 10, 12, 0).getTime();
const route: HeldRoute = { channel: { type: 'vscode' }, isProject: false };

describe('what a channel is not told in quiet hours', () => {
  const folder = scratchFolder();
  let clock: ManualClock;
  let sent: string[];
  let failures: unknown[];
  let send: (one: Message) => Promise<void>;
  let store: HeldMessages;
  let box: QuietBox;
  beforeEach(() => {
    clock = new ManualClock(noon);
    sent = [];
    failures = [];
    send = ({ title }) => Promise.resolve(void sent.push(title));
    store = new HeldMessages({ folder: folder(), write: writeFileAtomic });
    box = boxOf(store);
  });
  const boxOf = (held: HeldMessages): QuietBox =>
    new QuietBox({
      ...{ route, store: held, clock },
      mayTell: () => Promise.resolve(true),
      send: (one) => send(one),
      onFailed: (error) => failures.push(error),
    });
  const held = (
    title: string,
    untilMs = noon + hour,
    more: Partial<HeldMessage> = {},
  ): HeldMessage => ({
    ...route,
    ...{ message: message({ title, body: '', atMs: noon }), quietHours: undefined, untilMs },
    ...more,
  });
  /** Moves the clock once what was begun is done. */
  const advance = async (byMs: number): Promise<void> => {
    await box.settled;
    await clock.advance(byMs);
    await box.settled;
  };

  it('is told once, at the time of the last one that was held', async () => {
    box.hold(held('a', noon + hour));
    box.hold(held('b', noon + 2 * hour));
    await advance(2 * hour - 1);
    assert.deepEqual(sent, []);
    await advance(1);
    assert.deepEqual(sent, ['During quiet hours: 2 notifications']);
    await advance(24 * hour);
    assert.equal(sent.length, 1);
    assert.equal(clock.pendingTimers, 0);
  });

  const failing: readonly (readonly [
    what: string,
    error: () => Error,
    ageMs: number,
    isTriedAgain: boolean,
  ])[] = [
    ['what cannot be reached', () => new NotifyFailure('unreachable', 'no network'), 0, true],
    [
      'what cannot be reached for a day',
      () => new NotifyFailure('unreachable', 'no network'),
      23 * hour,
      false,
    ],
    ['what is refused', () => new NotifyFailure('refused', '401'), 0, false],
    ['what breaks', () => new Error('unreachable'), 0, false],
  ];
  for (const [what, error, ageMs, isTriedAgain] of failing)
    it(`is ${isTriedAgain ? '' : 'not '}tried again ten minutes later by ${what}`, async () => {
      send = () => Promise.reject(error());
      box.hold(held('a', noon + hour + ageMs));
      await advance(hour + ageMs);
      assert.equal(failures.length, 1);
      send = ({ title }) => Promise.resolve(void sent.push(title));
      await advance(10 * minute - 1);
      assert.deepEqual(sent, []);
      await advance(1);
      assert.equal(sent.length, isTriedAgain ? 1 : 0);
      await advance(24 * hour);
      assert.equal(sent.length, isTriedAgain ? 1 : 0);
      assert.deepEqual(await store.waiting(), []);
    });

  it('is tried for a day from when it happened, and no longer', async () => {
    send = () => Promise.reject(new NotifyFailure('unreachable', 'no network'));
    box.hold(held('a'));
    await advance(24 * hour - 10 * minute);
    assert.notEqual(clock.pendingTimers, 0);
    await advance(10 * minute);
    assert.equal(clock.pendingTimers, 0);
    assert.deepEqual(await store.waiting(), []);
  });

  it('is kept in memory where it cannot be written, tried again from there, and told once', async () => {
    box = boxOf(
      new HeldMessages({ folder: folder(), write: () => Promise.reject(new Error('disk full')) }),
    );
    for (let run = 1; run <= 502; run += 1) box.hold(held(`Run ${run}`));
    send = () => Promise.reject(new NotifyFailure('unreachable', 'no network'));
    await advance(hour);
    assert.equal(failures.length, 503);
    send = ({ title, body }) => Promise.resolve(void sent.push(title, body));
    await advance(10 * minute);
    assert.equal(sent[0], 'During quiet hours: 500 notifications');
    assert.match(sent[1] ?? '', /Run 502\nand 495 more/);
    await advance(24 * hour);
    assert.equal(sent.length, 2);
  });

  it('is told of memory alone where the disk cannot be read', async () => {
    store.put = () => Promise.reject(new Error('gone'));
    store.take = () => Promise.reject(new Error('gone too'));
    box.hold(held('a'));
    await advance(hour);
    assert.deepEqual(sent, ['During quiet hours: a']);
    assert.deepEqual(failures.map(String), ['Error: gone', 'Error: gone too']);
  });

  it('is held further where the next quiet hours have begun', async () => {
    const quietHours = { from: '12:30', to: '14:00' };
    box.hold(held('a', noon + hour, { quietHours }));
    box.hold(held('b', noon + hour));
    await advance(2 * hour - 1);
    assert.deepEqual(sent, []);
    await advance(1);
    assert.deepEqual(sent, ['During quiet hours: 2 notifications']);
  });

  it('is left to the next process by one that ends', async () => {
    box.hold(held('a'));
    await box.settled;
    box.dispose();
    box.releaseAt(noon + hour);
    assert.equal(clock.pendingTimers, 0);
    await advance(24 * hour);
    assert.deepEqual(sent, []);
    const next = boxOf(store);
    next.releaseAt(noon);
    await clock.advance(0);
    await next.settled;
    assert.deepEqual(sent, ['During quiet hours: a']);
  });
});
