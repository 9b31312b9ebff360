import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Frames } from '../../../src/vscode/ui/frames.ts';
import { ManualClock } from '../../fakes/manualClock.ts';

describe('frames', () => {
  /** Returns how often `flush` was called in ten seconds with a request every 10 ms. */
  async function callsIn10s(workMs: number): Promise<number> {
    const clock = new ManualClock();
    const endMs = clock.now() + 10_000;
    let calls = 0;
    const frames = new Frames(clock, 100, () => {
      calls += 1;
      clock.pass(workMs);
    });
    while (clock.now() < endMs) {
      frames.request();
      await clock.advance(10);
    }
    frames.dispose();
    return calls;
  }

  it('come as often as wanted where the work is short', async () => {
    assert.ok((await callsIn10s(0)) >= 90);
    assert.ok((await callsIn10s(5)) >= 80);
  });

  it('leave nine tenths of the time to others where the work is long', async () => {
    const calls = await callsIn10s(100);
    assert.ok(calls >= 8 && calls <= 11, `${calls} calls of 100 ms in 10 s`);
  });

  it('go on soon after the computer has slept during the work', async () => {
    const clock = new ManualClock();
    let calls = 0;
    const frames = new Frames(clock, 100, () => {
      if ((calls += 1) === 1) clock.pass(3_600_000);
    });
    frames.request();
    await clock.advance(0);
    frames.request();
    await clock.advance(5_000);
    assert.equal(calls, 2);
    frames.dispose();
  });
});
