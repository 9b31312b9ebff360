import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { JobQueue } from '../../../../src/machines/slurm/jobQueue.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';

describe('questions to a scheduler', () => {
  let clock: ManualClock;
  let queue: JobQueue;
  /** When it was asked since the beginning, and for which jobs. */
  let asked: [number, string | undefined][];
  beforeEach(async () => {
    clock = new ManualClock();
    const beganMs = clock.now();
    asked = [];
    queue = new JobQueue({
      clock,
      ask(command) {
        if (command.includes('sacct'))
          return Promise.resolve({ text: 'accounting storage is disabled', code: 1 });
        asked.push([clock.now() - beganMs, / -j (\S+)/.exec(command)?.[1]]);
        return Promise.resolve({ text: '', code: 0 });
      },
    });
    void queue.state('1');
    await clock.advance(0);
  });

  it('are one in two seconds, for all jobs of a moment', async () => {
    void queue.state('2');
    await clock.advance(1500);
    void queue.state('3');
    await clock.advance(5000);
    assert.deepEqual(asked, [
      [0, '1'],
      [2000, '2,3'],
    ]);
  });

  it('are put at once for runs that are to be ended, together with those that wait', async () => {
    void queue.state('2');
    await clock.advance(50);
    for (const id of ['3', '4']) void queue.state(id, { isUrgent: true });
    await clock.advance(1000);
    void queue.state('5', { isUrgent: true });
    await clock.advance(0);
    void queue.state('6');
    await clock.advance(5000);
    assert.deepEqual(asked, [
      [0, '1'],
      [100, '2,3,4'],
      [1050, '5'],
      [3050, '6'],
    ]);
  });
});
