import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { objections } from '../../../../src/agent/experiments/objections.ts';
import type { Decision } from '../../../../src/experiments/experiment.ts';
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

  describe('to the keep of a setting', () => {
    const seeds = (losses: readonly number[], lr: number) =>
      losses.map((loss, seed) => ({ loss, command: `train --lr ${lr} --seed ${seed}` }));
    const keepOf = (losses: readonly number[], before: Decision = 'keep') => {
      const night = new Night('the lowest loss, mean over seeds 0, 1 and 2');
      const decision = { is: before, why: 'first' };
      night.experiment({ hypothesis: 'a', decision }, ...seeds([0.26, 0.25, 0.27], 1));
      night.experiment({ hypothesis: 'b' }, ...seeds(losses, 2));
      const { ledger, target } = night.facts();
      const row = ledger.experiments.find(({ id }) => id === 'e2') ?? assert.fail();
      return objections(row, 'keep', { ledger, target });
    };

    it('call the same values equal, and ask for no more seeds', () => {
      const { warnings, isProvisional } = keepOf([0.26, 0.25, 0.27]);
      assert.deepEqual(warnings, [
        'It measured the same values as run 1, run 2, run 3 of experiment e1, seed by seed: equal, not better.',
      ]);
      assert.equal(isProvisional, undefined);
    });

    it('do not call another order of the values the same', () =>
      assert.equal(keepOf([0.25, 0.26, 0.27]).isProvisional, true));

    it('record a gain within the noise as provisional, also over the baseline', () => {
      for (const before of ['keep', 'reference'] as const) {
        const { warnings, isProvisional } = keepOf([0.255, 0.245, 0.265], before);
        assert.match(warnings[0] ?? '', /^Recorded as provisional: the gain is within the noise/);
        assert.equal(isProvisional, true);
      }
      assert.deepEqual(keepOf([0.155, 0.145, 0.165], 'reference'), { warnings: [] });
    });

    it('judge the noise as compare_runs does', () => {
      // More than one standard deviation (0.01), and less than the 0.023 that chance makes.
      const { warnings, isProvisional } = keepOf([0.245, 0.235, 0.255]);
      assert.match(warnings[0] ?? '', /the gain is within the noise \(loss 0\.245 ± 0\.01/);
      assert.equal(isProvisional, true);
      assert.equal(keepOf([0.23, 0.24, 0.22]).isProvisional, undefined);
      assert.match(
        keepOf([0.275, 0.285, 0.265]).warnings[0] ?? '',
        /^It is worse than the best so far, within the noise: /,
      );
    });

    it('say that it is worse than the baseline, unless another setting was kept', () =>
      assert.match(
        keepOf([0.36, 0.35, 0.37], 'reference').warnings[0] ?? '',
        /^It is worse than the reference: loss 0\.36 .* of experiment e1\./,
      ));
  });

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
