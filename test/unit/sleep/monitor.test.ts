import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Monitor, type MonitorPlan } from '../../../src/sleep/monitor.ts';
import { ManualClock } from '../../fakes/manualClock.ts';

const minute = 60_000;

describe('Monitor', () => {
  const setUp = (clock = new ManualClock()) => {
    const state = { isBusy: false, ticks: [] as number[] };
    const monitor = new Monitor({
      clock,
      isBusy: () => state.isBusy,
      onTick: ({ elapsedMs }) => state.ticks.push(elapsedMs / minute),
    });
    return { clock, state, monitor };
  };
  const plan = (clock: ManualClock, minutes = 2): MonitorPlan => ({
    goal: 'loss falls',
    intervalMs: minutes * minute,
    startedMs: clock.now(),
  });

  it('ticks at its interval until it is stopped', async () => {
    const { clock, state, monitor } = setUp();
    monitor.start(plan(clock));
    await clock.advance(7 * minute);
    assert.deepEqual(state.ticks, [2, 4, 6]);
    assert.equal(monitor.stop(), true);
    assert.equal(monitor.stop(), false);
    assert.equal(clock.pendingTimers, 0);
    assert.equal(monitor.plan, undefined);
  });

  it('leaves out ticks while the agent is busy, and does not make up for them', async () => {
    const { clock, state, monitor } = setUp();
    monitor.start(plan(clock));
    state.isBusy = true;
    await clock.advance(5 * minute);
    state.isBusy = false;
    await clock.advance(2 * minute);
    assert.deepEqual(state.ticks, [6]);
    monitor.dispose();
  });

  it('keeps its beat over a restart', async () => {
    const { clock, monitor } = setUp();
    const recorded = plan(clock);
    monitor.start(recorded);
    await clock.advance(3 * minute);
    monitor.dispose();
    await clock.advance(4.5 * minute);
    const later = setUp(clock);
    later.monitor.start(recorded);
    await clock.advance(minute);
    assert.deepEqual(later.state.ticks, [8]);
    later.monitor.dispose();
  });

  it('is replaced by another, and can be stopped by its own tick', async () => {
    const clock = new ManualClock();
    let ticks = 0;
    const monitor = new Monitor({
      clock,
      isBusy: () => false,
      onTick: () => {
        ticks += 1;
        monitor.stop();
      },
    });
    monitor.start(plan(clock, 10));
    monitor.start(plan(clock, 1));
    await clock.advance(60 * minute);
    assert.equal(ticks, 1);
    assert.equal(clock.pendingTimers, 0);
  });

  it('refuses an interval out of bounds', () => {
    const { clock, monitor } = setUp();
    for (const minutes of [0, -1, 0.2, 1441, NaN, Infinity])
      assert.throws(() => monitor.start(plan(clock, minutes)), /out of bounds/);
    assert.equal(monitor.plan, undefined);
  });
});
