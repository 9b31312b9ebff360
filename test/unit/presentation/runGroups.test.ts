import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { buildLedger } from '../../../src/experiments/buildLedger.ts';
import type { LedgerRow } from '../../../src/experiments/ledger.ts';
import {
  groupLabel,
  groupName,
  groupStatistics,
  runGroups,
  statisticsText,
} from '../../../src/presentation/runs/runGroups.ts';
import { rowOf, summaryOf } from '../vscode/states.ts';

const run = (number: number, rate: number, seed: number, loss = number): LedgerRow =>
  rowOf(number, {
    experimentId: 'e1',
    command: `python3 train.py --lr ${rate} --seed ${seed}`,
    label: `lr=${rate} seed=${seed}`,
    metrics: [summaryOf('loss', loss)],
  });

const groupsOf = (rows: readonly LedgerRow[]) => runGroups(buildLedger(rows));

describe('groups of runs', () => {
  it('hold the runs that differ in nothing but the seed', () => {
    const groups = groupsOf([run(1, 0.1, 0), run(2, 0.1, 1), run(3, 0.2, 0), run(4, 0.1, 2)]);
    assert.deepEqual(
      groups.map((group) => [group.number, groupName(group), groupLabel(group)]),
      [
        [1, 'runs 1, 2, 4', 'lr=0.1'],
        [2, 'run 3', 'lr=0.2 seed=0'],
      ],
    );
  });

  it('keep their numbers when an older experiment gets another setting', () => {
    const later = rowOf(2, { experimentId: 'e2' });
    const before = groupsOf([run(1, 0.1, 0), later]);
    const after = groupsOf([run(1, 0.1, 0), later, run(3, 0.2, 0)]);
    const numbers = (groups: typeof before) =>
      groups.map(({ number, rows }) => [number, rows[0]?.number]);
    assert.deepEqual(numbers(before), [
      [1, 1],
      [2, 2],
    ]);
    assert.deepEqual(numbers(after), [
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });

  it('have mean and standard deviation over the finite values', () => {
    const [group] = groupsOf([run(1, 0.1, 0, 1), run(2, 0.1, 1, 2), run(3, 0.1, 2, Number.NaN)]);
    assert.ok(group !== undefined);
    const statistics = groupStatistics(group, 'loss', ({ last }) => last);
    assert.deepEqual(statistics, { mean: 1.5, spread: Math.SQRT1_2, n: 2 });
    assert.equal(statisticsText(statistics), '1.5 ± 0.707');
    assert.equal(
      groupStatistics(group, 'acc', ({ last }) => last),
      undefined,
    );
  });
});
