import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { resultText } from '../../../../src/agent/experiments/experimentLabels.ts';
import { buildLedger } from '../../../../src/experiments/buildLedger.ts';
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

describe('the result of an experiment in one line', () => {
  it('says of which setting it is, where there are several', () =>
    assert.equal(
      textOf('train --skip 1', 'train --skip 0', 'train --skip 2'),
      '3 ok, loss 0.0587 (run 2, one of 3 settings)',
    ));

  it('names no setting where the runs repeat one', () =>
    assert.match(
      textOf('train --seed 0', 'train --seed 1'),
      /^2 ok, loss 0\.05925 ± \S+ over 2 runs$/,
    ));
});
