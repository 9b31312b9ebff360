import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { objections } from '../../../../src/agent/experiments/objections.ts';
import { lossOf, Night } from '../../../fakes/nights.ts';

const sized = (loss: number, parameters: number) =>
  [0, 1].map((seed) => ({
    command: `train --width ${parameters} --seed ${seed}`,
    metrics: [
      lossOf(loss + seed / 1000),
      lossOf(parameters, { metric: 'parameters', direction: 'none' }),
    ],
  }));

describe('objections to a decision', () => {
  const warningsFor = (parameters: number): readonly string[] => {
    const night = new Night('bring loss below 0.1 with at most 60000 parameters');
    night.experiment({ hypothesis: 'wide' }, ...sized(0.5, parameters));
    night.experiment({ hypothesis: 'narrow' }, ...sized(0.6, 38_410));
    const { ledger, target } = night.facts();
    const row = ledger.experiments.find(({ id }) => id === 'e2') ?? assert.fail();
    return objections(row, 'keep', { ledger, target }).warnings;
  };

  it('compares with a better setting', () =>
    assert.match(warningsFor(50_000)[0] ?? '', /^It is worse than the best so far: loss 0\.6005/));

  it('does not compare with a setting that is over a limit of the goal', () =>
    assert.deepEqual(warningsFor(76_810), []));

  it('records a keep that lacks seeds of the goal as provisional', () => {
    const night = new Night('the lowest loss, mean over seeds 0, 1 and 2');
    const losses = [0.5, 0.4].map((loss, seed) => ({ loss, command: `train --seed ${seed}` }));
    night.experiment({ hypothesis: 'a' }, ...losses);
    const { ledger, target } = night.facts();
    const [row] = ledger.experiments;
    assert.ok(row);
    const { warnings, isProvisional } = objections(row, 'keep', { ledger, target });
    assert.equal(isProvisional, true);
    assert.match(warnings[0] ?? '', /provisional: seed 2 missing of what the goal asks for\./);
  });
});
