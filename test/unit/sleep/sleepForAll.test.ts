import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { Sleeper, type Wake } from '../../../src/sleep/sleeper.ts';
import type { Trigger } from '../../../src/sleep/trigger.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { FakeDeps, run7 } from './fakePorts.ts';

const minute = 60_000;

describe('a sleep until all of it holds', () => {
  let clock: ManualClock;
  let deps: FakeDeps;
  let sleeper: Sleeper;
  let wakes: Wake[];
  beforeEach(() => {
    clock = new ManualClock();
    deps = new FakeDeps(clock);
    deps.add('local');
    sleeper = new Sleeper(deps, clock);
    wakes = [];
  });
  afterEach(() => sleeper.dispose());

  const arm = (...triggers: Trigger[]): void =>
    void sleeper.arm({ reason: 'r', logic: 'all', triggers }, (wake) => wakes.push(wake));
  const inAMinute = (): Trigger => ({ type: 'timer', atMs: clock.now() + minute });

  it('waits on for what else is to come where the metric holds as its run ends', async () => {
    arm(
      { type: 'tracked_metric', runIds: [run7], metric: 'loss', comparator: '<', threshold: 1 },
      inAMinute(),
    );
    deps.print(run7, 'loss', 0.5);
    deps.end(run7);
    await clock.advance(minute - 1);
    assert.deepEqual(wakes, []);
    await clock.advance(1);
    assert.deepEqual(
      wakes.map(({ why, met }) => [why, met]),
      [['trigger', ['loss < 1', '00:01:00 UTC']]],
    );
  });

  it('keeps that a file was modified, also when it is then put back or removed', async () => {
    for (const after of ['as before', 'gone'] as const) {
      const local = deps.machine('local');
      local.write('/log', 'old', 5000);
      const baseline = { modifiedMs: 5000, sizeBytes: 3 };
      arm(
        { type: 'file', machineId: 'local', path: '/log', mode: 'modified', baseline },
        inAMinute(),
      );
      await clock.advance(10_000);
      local.write('/log', 'new', 9000);
      await clock.advance(10_000);
      if (after === 'gone') local.files.delete('/log');
      else local.write('/log', 'old', 5000);
      await clock.advance(minute);
      assert.equal(wakes.pop()?.why, 'trigger', after);
    }
  });
});
