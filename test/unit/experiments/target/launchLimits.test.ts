import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { readLaunchLimits } from '../../../../src/experiments/target/launchLimits.ts';
import { uncheckedDemands } from '../../../../src/experiments/target/readDemands.ts';

const ids = ['local', 'gpu1', 'gpu2', 'gpu1.big', 'a100-8'];
const on = (...machines: readonly string[]) => ({ machines });

const goals: readonly (readonly [string, object])[] = [
  [
    'Bring val rmse below 3.3, mean over seeds 0 to 2. Train on gpu1 only. Leave data.py and split.py alone; check.py must still pass. At most 15 runs.',
    { maxRuns: 15, ...on('gpu1') },
  ],
  [
    'loss < 1 with no more than 20 runs, only on gpu1 and gpu2',
    { maxRuns: 20, ...on('gpu1', 'gpu2') },
  ],
  ['15 runs at most; run everything only on GPU2', { maxRuns: 15, ...on('gpu2') }],
  ['do not use more than 12 runs in total', { maxRuns: 12 }],
  ['fewer than 10 training runs, and use only local', { maxRuns: 9, ...on('local') }],
  ['Höchstens 15 Läufe, trainiere nur auf gpu1.', { maxRuns: 15, ...on('gpu1') }],
  ['nicht mehr als 12 Läufe insgesamt und nur auf gpu1 trainieren', { maxRuns: 12, ...on('gpu1') }],
  ['train only on gpu1.big', on('gpu1.big')],
  ['train on a100-8 only', on('a100-8')],
  ['at most 2 runs at a time', {}],
  ['at most 3 runs per setting', {}],
  ['at most 4 runs in parallel', {}],
  ['at most 15 runs, at most 20 runs', {}],
  ['evaluate on gpu1 only', {}],
  ['do not train on gpu1 only', {}],
  ['train on gpu7 only', {}],
  ['train on gpu1 only, run only on gpu2', {}],
];

describe('limits of a goal on launches', () => {
  for (const [goal, limits] of goals)
    it(`${goal}: ${JSON.stringify(limits)}`, () => {
      assert.deepEqual(readLaunchLimits(goal, ids).limits, limits);
    });

  it('are not named as unchecked, and others are', () => {
    const rest = (goal: string) => uncheckedDemands(readLaunchLimits(goal, ids).rest);
    assert.deepEqual(rest('loss < 1. Train on gpu1 only. At most 15 runs.'), []);
    assert.deepEqual(rest('loss < 1. At most 4 runs in parallel.'), ['At most 4 runs in parallel']);
  });
});
