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
    const seeds = ', mean over seeds 0, 1, 2';
    assert.equal(other('Now try for val acc > 0.99'), `val acc > 0.99${seeds}`);
    assert.equal(other('Can you get above 0.99 on the same conditions?'), `val acc > 0.99${seeds}`);
    assert.equal(other('make it 0.99'), `val acc >= 0.99${seeds}`);
  });

  it('keeps what the target in force says, and changes only what the message states', () => {
    const cases: readonly (readonly [inForce: string, message: string, offered: string])[] = [
      [
        'val_loss < 0.3, mean over seeds 0-2 and params <= 20000 (best value of each run)',
        'make it val loss below 0.25',
        'val_loss < 0.25, mean over seeds 0, 1, 2 and params <= 20000 (best value of each run)',
      ],
      [
        'val_loss < 0.3, mean over seeds 0-2',
        'Now I want val_loss below 0.25, mean over seeds 0, 1, 2, 3 and 4',
        'val_loss < 0.25, mean over seeds 0, 1, 2, 3, 4',
      ],
      [
        'val_loss < 0.3, mean over seeds 0-2',
        'Now I also want val_acc above 0.9',
        'val_loss < 0.3, mean over seeds 0, 1, 2 and val_acc > 0.9, mean over seeds 0, 1, 2',
      ],
      [
        'lowest test_ppl, mean over seeds 0, 1 with params <= 20000',
        'get test_ppl below 20',
        'test_ppl < 20, mean over seeds 0, 1 and params <= 20000',
      ],
      [
        'lowest test_ppl, mean over seeds 0, 1 with params <= 20000',
        'find the lowest test_ppl with at most 10000 parameters',
        'lowest test_ppl, mean over seeds 0, 1 with params <= 10000',
      ],
    ];
    for (const [text, message, offered] of cases) {
      const target = statedTarget(text);
      const stated = otherTarget(message, { ...target, baseline: 5 });
      assert.equal(stated && targetText(stated), offered, message);
      assert.equal(stated?.baseline, 5);
      assert.equal(targetText(statedTarget(offered)), offered, 'it can be entered');
    }
  });

  it('is read as a distance from the baseline, for the metric of the target in force', () => {
    const relative = statedTarget('val_loss <= 0.88 x the baseline and val_acc >= 0.9');
    for (const message of [
      'Make it at least 20 % below the baseline please.',
      'Make it at least 20 % below the baseline please. And which setting would you recommend, does test_acc suffer?',
      '20 % below baseline instead',
      'Does val_acc suffer? I want 20 % lower than the baseline.',
      'Bitte mindestens 20 % unter der Baseline',
      'please lower val_loss by 20 %',
    ]) {
      const stated = otherTarget(message, relative);
      assert.equal(
        stated && targetText(stated),
        'val_loss <= 0.8 × the baseline and val_acc >= 0.9',
        message,
      );
    }
    assert.equal(otherTarget('Is it 12 % below the baseline now?', relative), undefined);
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
