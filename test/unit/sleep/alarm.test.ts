import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Clock } from '../../../src/base/clock.ts';
import { alarmAt } from '../../../src/sleep/alarm.ts';
import { ManualClock } from '../../fakes/manualClock.ts';

describe('alarmAt', () => {
  it('is at most half a minute late after the computer was suspended', async () => {
    const timers = new ManualClock();
    let suspendedMs = 0;
    const clock: Clock = {
      now: () => timers.now() + suspendedMs,
      after: (delayMs, callback) => timers.after(delayMs, callback),
    };
    let rings = 0;
    alarmAt(clock, clock.now() + 3600_000, () => (rings += 1));
    await timers.advance(60_000);
    suspendedMs = 3600_000;
    await timers.advance(30_000);
    assert.equal(rings, 1);
    await timers.advance(7200_000);
    assert.equal(rings, 1);
  });

  it('is not late because the clock was set back', async () => {
    const timers = new ManualClock();
    let aheadMs = 7200_000;
    const clock: Clock = {
      now: () => timers.now() + aheadMs,
      after: (delayMs, callback) => timers.after(delayMs, callback),
    };
    let rings = 0;
    alarmAt(clock, clock.now() + 300_000, () => (rings += 1));
    await timers.advance(60_000);
    aheadMs = 0;
    await timers.advance(239_000);
    assert.equal(rings, 0);
    await timers.advance(1_000);
    assert.equal(rings, 1);
    assert.equal(timers.pendingTimers, 0);
  });

  it('leaves nothing behind when it is disposed', async () => {
    const clock = new ManualClock();
    const alarm = alarmAt(clock, clock.now() + 100_000, () => assert.fail('rang'));
    await clock.advance(70_000);
    alarm.dispose();
    assert.equal(clock.pendingTimers, 0);
  });
});
