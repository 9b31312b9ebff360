import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { resultText } from '../../../../src/agent/experiments/experimentLabels.ts';
import { indexedExperiments } from '../../../../src/agent/experiments/indexedExperiments.ts';
import { buildLedger } from '../../../../src/experiments/buildLedger.ts';
import { readTarget } from '../../../../src/experiments/target/readTarget.ts';
import { rowOf, summaryOf } from '../../vscode/states.ts';

const textOf = (...commands: readonly string[]): string => {
  const entries = commands.map((command, index) =>
    rowOf(index + 1, {
      command,
      experimentId: 'e4',
      metrics: [summaryOf('loss', [0.0598, 0.0587, 0.061][index] ?? 1)],
    }),
  );
  const [row] = buildLedger(entries).experiments;
  assert.ok(row);
  return resultText(row);
};

/** The list's result of an experiment whose runs 1 and 2 have seeds that the goal does not name. */
const listedResult = (goal: string): string | undefined => {
  const entries = [3, 4, 0, 1, 2].map((seed, index) =>
    rowOf(index + 1, {
      command: `train --seed ${seed}`,
      experimentId: 'e4',
      metrics: [summaryOf('loss', 0.5 + seed / 10)],
    }),
  );
  const ledger = buildLedger(entries, { target: readTarget(goal) });
  return indexedExperiments({ startedMs: 0 }, ledger)[0]?.result;
};

describe('the result of an experiment in one line', () => {
  it('says of which setting it is, where there are several', () =>
    assert.equal(
      textOf('train --skip 1', 'train --skip 0', 'train --skip 2'),
      '3 ok, loss 0.0587 (run 2, one of 3 settings)',
    ));

  it('names the runs that count for the goal, and those that do not', () => {
    const goal = 'loss < 0.4 as the mean over seeds';
    assert.equal(
      listedResult(`${goal} 0, 1 and 2`),
      'loss 0.6 ± 0.1 over runs 3–5 (seeds of the goal, without runs 1, 2)',
    );
    assert.equal(listedResult(`${goal} 0 to 4`), 'loss 0.7 ± 0.158 over 5 runs');
  });

  it('names no setting where the runs repeat one', () =>
    assert.match(
      textOf('train --seed 0', 'train --seed 1'),
      /^2 ok, loss 0\.05925 ± \S+ over 2 runs$/,
    ));
});
