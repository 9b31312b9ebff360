import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { unmeasuredInNote } from '../../../../src/agent/experiments/unmeasured.ts';
import { foldSession } from '../../../../src/agent/journal/fold.ts';
import { lossOf, Night } from '../../../fakes/nights.ts';

describe('the numbers of a note', () => {
  const note = (text: string): string => {
    const night = new Night('bring val rmse < 3.3');
    night.run({ metrics: [lossOf(3.0006, { metric: 'val_rmse' })] });
    const state = foldSession(night.events);
    assert.ok(state);
    return unmeasuredInNote(text, { state, ledger: night.facts().ledger });
  };

  it('are marked only as values of a metric, not as constants and settings', () => {
    assert.equal(note('noise 0.5 and 0.6, strength * log1p(age), 9 columns'), '');
    assert.equal(note('gbm depth 3 subsample 0.7 log features: val_rmse 3.0006 on seed 0'), '');
    assert.equal(note('val rmse: 3.1 with subsample 0.7'), '3.1 was measured by no run');
    assert.equal(note('best **val_rmse** of about 2.9'), '2.9 was measured by no run');
  });
});
