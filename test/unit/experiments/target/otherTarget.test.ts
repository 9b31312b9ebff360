import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { otherTarget } from '../../../../src/experiments/target/otherTarget.ts';
import { readTarget } from '../../../../src/experiments/target/readTarget.ts';
import { statedTarget } from '../../../../src/experiments/target/statedTarget.ts';
import { targetText } from '../../../../src/experiments/target/target.ts';

const inForce = statedTarget('val acc >= 0.975, mean over seeds 0, 1, 2');
const other = (message: string): string | undefined => {
  const stated = otherTarget(message, inForce);
  return stated && targetText(stated);
};

describe('a target that a message states beside the one in force', () => {
  it('is read with its metric, or for the metric of the target in force', () => {
    assert.equal(other('Now try for val acc > 0.99'), 'val acc > 0.99');
    assert.equal(other('Can you get above 0.99 on the same conditions?'), 'val acc > 0.99');
    assert.equal(other('make it 0.99'), 'val acc >= 0.99');
  });

  it('is not one without a condition, or with those in force', () => {
    const inForceText = targetText(inForce);
    assert.deepEqual(readTarget(inForceText), inForce);
    const messages = ['go on', 'val acc was 0.96 in run 3, why?', inForceText];
    const settings = ['try lr above 0.1', 'stay below 5 GB of memory', 'reach at least 0.975'];
    assert.deepEqual(
      [...messages, ...settings].map(other),
      [...messages, ...settings].map(() => undefined),
    );
  });
});
