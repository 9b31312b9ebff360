import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Sleeper, type Wake } from '../../../src/sleep/sleeper.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { FakeDeps, run7 } from './fakePorts.ts';

describe('a sleep until a sweep is over', () => {
  it('outlasts the ends of its points, and wakes when the last one has ended or no more are launched', async () => {
    for (const last of ['run', 'sweep'] as const) {
      const clock = new ManualClock();
      const deps = new FakeDeps(clock);
      const sleeper = new Sleeper(deps, clock);
      const wakes: Wake[] = [];
      const trigger = { type: 'sweep_end', sweepId: 's1' } as const;
      sleeper.arm({ reason: 'r', logic: 'any', triggers: [trigger] }, (wake) => wakes.push(wake));
      deps.end(run7);
      await clock.advance(1);
      assert.equal(wakes.length, 0);
      if (last === 'sweep') deps.endSweep('s1');
      // Stopped before: the end of its last run is then what is heard.
      else deps.endSweep('s1', false);
      if (last === 'run') deps.end(run7);
      await clock.advance(1);
      assert.deepEqual(
        wakes.map(({ why, met }) => [why, met]),
        [['trigger', ['sweep s1 has ended']]],
      );
      sleeper.dispose();
      assert.equal(deps.hasListeners, false);
    }
  });
});
