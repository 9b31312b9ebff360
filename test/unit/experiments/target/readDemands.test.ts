import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { uncheckedDemands } from '../../../../src/experiments/target/readDemands.ts';
import { readTarget } from '../../../../src/experiments/target/readTarget.ts';
import { namedRequirements } from '../../../../src/experiments/target/requirements.ts';
import { targetText } from '../../../../src/experiments/target/target.ts';
import { assertInProportion } from '../../../fakes/proportion.ts';

/** Goals; words of each demand that is read; words of each demand that nothing checks. */
const goals: readonly (readonly [
  goal: string,
  read: readonly string[],
  unchecked: readonly string[],
])[] = [
  ['val_loss < 0.3 with at most 60,000 parameters', ['val_loss < 0.3', 'parameters <= 60000'], []],
  ['train a 125M GPT on TinyStories to loss < 1.0', ['loss < 1'], []],
  ['Finetune a 1.3B-parameter language model to val_loss < 2', ['val_loss < 2'], []],
  ['Get val_loss < 2 with a 7B Llama', ['val_loss < 2'], []],
  [
    'Train a 125M GPT with under 60,000 steps to loss < 1',
    ['loss < 1'],
    ['with under 60,000 steps'],
  ],
  ['loss < 1 with at most a 125M GPT', ['loss < 1'], ['with at most a 125M GPT']],
  [
    'val_acc > 0.9, epoch <= 12, each of seeds 0,1,2',
    ['val_acc > 0.9, each of seeds 0, 1, 2', 'epoch <= 12'],
    [],
  ],
  ['val_acc > 0.9, kleine Modelle bevorzugt.', ['val_acc > 0.9'], ['kleine Modelle bevorzugt']],
  ['Reach val_acc > 0.9, small models preferred', ['val_acc > 0.9'], ['small models preferred']],
  ['Reach val_acc > 0.9 in no more than 5 epochs.', ['val_acc > 0.9'], ['no more than 5 epochs']],
  ['val_loss below 0.3, each run under 60 s', ['val_loss < 0.3'], ['each run under 60 s']],
  [
    'Raise val_acc above 0.95 within 10 minutes per run.',
    ['val_acc > 0.95'],
    ['within 10 minutes per run'],
  ],
  [
    'val_loss below 0.3, leave data.py and check.py alone',
    ['data.py unchanged', 'check.py unchanged'],
    [],
  ],
  ['val_loss below 0.3; check.py must still pass', ['check.py passes'], []],
  [
    'Raise val_acc above 0.9 without changing the batch size.',
    ['val_acc > 0.9'],
    ['without changing the batch size'],
  ],
  ['val_loss below 0.3, use only numpy', ['val_loss < 0.3'], ['use only numpy']],
  ['Get F1 above 0.8 using only the standard library.', ['F1 > 0.8'], ['using only the standard']],
  ['Get F1 above 0.8; prefer small models', ['F1 > 0.8'], ['prefer small models']],
  [
    'val_acc above 0.95, and as fast as possible among those',
    ['val_acc > 0.95'],
    ['as fast as possible among those'],
  ],
  [
    'Bring val_loss below 0.4 with at most 60,000 parameters, no more than 5 epochs, each run under 60 s; leave data.py alone, do not change the batch size and prefer small models.',
    ['val_loss < 0.4', 'parameters <= 60000', 'data.py unchanged'],
    ['no more than 5 epochs', 'each run under 60 s', 'batch size', 'prefer small models'],
  ],
  ['Raise val_acc above 0.9. Train on gpu1 only.', ['val_acc > 0.9'], ['Train on gpu1 only']],
  ['Raise val_acc above 0.9. Only edit train.py.', ['val_acc > 0.9'], ['Only edit train.py']],
  ['Lower val_loss to 0.3; no pretrained weights', ['val_loss <= 0.3'], ['no pretrained weights']],
  ['Lower val_loss to 0.3. Do not use dropout.', ['val_loss <= 0.3'], ['Do not use dropout']],
  ["Lower val_loss to 0.3. Don't install anything.", ['val_loss <= 0.3'], ["Don't install"]],
  ['Lower val_loss to 0.3 without data augmentation', ['val_loss'], ['without data augmentation']],
  ['Lower val_loss to 0.3, keeping the rules of README.md', [], ['keeping the rules of README.md']],
  ['Lower val_loss to 0.3. The outputs must stay identical.', [], ['outputs must stay identical']],
  ['Halve the rmse; the model must fit in 2 GB', ['rmse <= 0.5'], ['must fit in 2 GB']],
  ['accuracy above 90 % with fewer than 4 layers', ['accuracy > 90 %'], ['fewer than 4 layers']],
  ['accuracy above 90 % on a single GPU', ['accuracy > 90 %'], ['on a single GPU']],
  [
    'val_loss < 0.3 with a learning rate of at most 0.01',
    ['val_loss < 0.3'],
    ['learning rate of at most 0.01'],
  ],
  ['val_loss < 0.3, batch size must be 32', ['val_loss < 0.3'], ['batch size must be 32']],
  ['val_loss < 0.3 with batch size 32', ['val_loss < 0.3'], ['with batch size 32']],
  ['loss < 1.0 within 1000 steps', ['loss < 1'], ['within 1000 steps']],
  ['loss < 1.0, at most 20 runs', ['loss < 1'], ['at most 20 runs']],
  ['Spend at most $5 and get val_loss < 0.3', ['val_loss < 0.3'], ['at most $5']],
  ['use less than 5 GB of memory and reach a val_loss of 0.4', [], ['less than 5 GB']],
  ['the lowest val_loss; ideally with fewer than 3 layers', ['lowest val_loss'], ['ideally']],
  ['the lowest val_loss, if possible without a scheduler', ['lowest val_loss'], ['if possible']],
  ['the lowest val_loss; smaller models are preferred', [], ['smaller models are preferred']],
  ['val_acc above 0.9; the fewer parameters the better', [], ['the fewer parameters the better']],
  ['Keep the optimizer fixed and reach val_acc > 0.9', [], ['Keep the optimizer fixed']],
  ['Stick to SGD and reach val_acc > 0.9', ['val_acc > 0.9'], ['Stick to SGD']],
  ['val_acc > 0.9. Never touch the test set.', ['val_acc > 0.9'], ['Never touch the test set']],
  ['val_acc > 0.9; avoid ensembles', ['val_acc > 0.9'], ['avoid ensembles']],
  ['val_acc > 0.9 by tuning at most 3 parameters', ['val_acc > 0.9'], ['at most 3 parameters']],
  ['val_acc > 0.9 for at least 3 epochs', ['val_acc > 0.9'], ['at least 3 epochs']],
  ['Train for exactly 10 epochs and get val_loss < 0.3', [], ['exactly 10 epochs']],
  ['val_loss < 0.3 in 10 epochs or less', ['val_loss < 0.3'], ['in 10 epochs or less']],
  ['val_loss < 0.3. Max 5 epochs.', ['val_loss < 0.3'], ['Max 5 epochs']],
  ['val_loss < 0.3, epochs: 5 max', ['val_loss < 0.3'], ['epochs: 5 max']],
  ['val_loss < 0.3; a run may take 2 minutes at most', [], ['a run may take 2 minutes at most']],
  ['val_loss < 0.3; finish in under 3 hours', ['val_loss < 0.3'], ['in under 3 hours']],
  ['val_loss < 0.3; training should take less than 90 seconds', [], ['less than 90 seconds']],
  ['Keep val_acc above 0.9 while halving the parameters', ['val_acc > 0.9'], ['halving the par']],
  ['latency under 5 ms; outputs must not change', ['latency < 5'], ['outputs must not change']],
  ['speed it up 3x, all tests must pass', ['tests pass'], ['speed it up 3x']],
  [
    'lower the mean val_loss over seeds 0, 1, 2 at least 8 % below the baseline on host gpu1, with val_acc not below 0.9, at most 6 epochs a run; check.py must still pass; leave data.py alone',
    [
      'val_loss <= 0.92 × the baseline, mean over seeds 0, 1, 2 and val_acc >= 0.9, mean over seeds 0, 1, 2',
      'data.py unchanged',
      'check.py passes',
    ],
    ['at most 6 epochs a run'],
  ],
  [
    'lower val_loss by at least 12 %, val_acc above 0.9',
    ['val_loss <= 0.88 ×', 'val_acc > 0.9'],
    [],
  ],
  ['lower val_loss by at least 12 %', ['val_loss <= 0.88 × the baseline'], []],
  ['Senke val_loss um mindestens 8 % unter die Baseline', ['val_loss <= 0.92 ×'], []],
  ['keep latency within 11 % of the baseline', [''], ['within 11 % of the baseline']],
  // German.
  [
    'Bringe val_loss unter 0,3 mit höchstens 5 Epochen',
    ['val_loss < 0.3'],
    ['höchstens 5 Epochen'],
  ],
  [
    'Bringe val_loss unter 0,3, jeder Lauf unter 60 Sekunden',
    ['val_loss < 0.3'],
    ['jeder Lauf unter 60 Sekunden'],
  ],
  ['Bringe val_loss unter 0,3, ohne die Batchgröße zu ändern', [], ['ohne die Batchgröße']],
  ['Bringe val_loss unter 0,3. Nur numpy benutzen.', ['val_loss < 0.3'], ['Nur numpy benutzen']],
  ['Bringe val_loss unter 0,3. Verwende nur numpy.', ['val_loss < 0.3'], ['Verwende nur numpy']],
  ['Bringe val_loss unter 0,3; lass data.py in Ruhe', ['data.py unchanged'], []],
  ['Bringe val_loss unter 0,3, check.py muss weiterhin durchlaufen', ['check.py passes'], []],
  ['Bringe val_loss unter 0,3, bevorzuge kleine Modelle', [], ['bevorzuge kleine Modelle']],
  ['val_acc über 0,9 und dabei möglichst schnell', ['val_acc > 0.9'], ['möglichst schnell']],
  ['val_acc über 0,9, am besten ohne Dropout', ['val_acc > 0.9'], ['am besten ohne Dropout']],
  ['val_acc über 0,9 mit höchstens 60000 Parametern', ['parameters <= 60000'], []],
  ['val_acc über 0,9 ohne vortrainierte Gewichte', [], ['ohne vortrainierte Gewichte']],
  ['val_acc über 0,9. Die Lernrate darf nicht über 0,1 liegen.', [], ['Lernrate darf nicht']],
  ['val_acc über 0,9. Kein Internet.', ['val_acc > 0.9'], ['Kein Internet']],
  ['val_acc über 0,9; Ändere nur train.py', ['val_acc > 0.9'], ['Ändere nur train.py']],
  ['val_acc über 0,9; maximal 3 Läufe', ['val_acc > 0.9'], ['maximal 3 Läufe']],
  // Nothing besides the target.
  ['Bring the mean val_loss over 3 seeds below 0.3', ['mean over 3 seeds'], []],
  ['the test error must not exceed 5 %', ['test error <= 5 %'], []],
  ['val_acc averaged over seeds 0-2 must exceed 0.975', ['seeds 0, 1, 2'], []],
  ['Raise val_acc of train.py above 0.975', ['val_acc > 0.975'], []],
  ['Raise recall above 0.96 while val_acc stays at or above 0.95', ['val_acc >= 0.95'], []],
  ['keep val_loss at or below 0.3', ['val_loss <= 0.3'], []],
  ['Do not let val_loss go above 0.5', ['val_loss <= 0.5'], []],
  ['reach an accuracy of at least 0.9', ['accuracy >= 0.9'], []],
  ['bring p95_latency below 20 ms', ['p95_latency < 20'], []],
  ['reduce validation loss by 10%', ['validation loss <= 0.9'], []],
  ['Senke die Fehlerrate unter 2,5 % auf dem Testset', ['Fehlerrate < 2.5 %'], []],
  ['val_acc soll nicht unter 0,9 liegen', ['val_acc >= 0.9'], []],
  ['Leave check.py and the split alone; val_loss < 0.3', ['check.py unchanged', 'the split'], []],
  ['You may change train.py as you like; val_loss < 0.3', ['val_loss < 0.3'], []],
  ['the lowest val_loss with at most 2.5 million parameters', ['parameters <= 2500000'], []],
];

/** Returns what is read from a goal and checked, or named as a thing that must not change. */
function readOf(goal: string): string {
  const target = readTarget(goal);
  const { unchanged, unread, checks } = namedRequirements(goal);
  return [
    target === undefined ? '' : targetText(target),
    ...unchanged.map((file) => `${file} unchanged`),
    ...checks.map((check) => (check === 'tests' ? 'tests pass' : `${check} passes`)),
    ...unread,
  ].join('; ');
}

describe('demands of a goal that nothing checks', () => {
  for (const [goal, read, unchecked] of goals)
    it(`are named: ${goal.slice(0, 100)}`, () => {
      for (const words of read) assert.ok(readOf(goal).includes(words), readOf(goal));
      const named = uncheckedDemands(goal);
      const missing = unchecked.filter((words) => !named.some((text) => text.includes(words)));
      assert.deepEqual([missing, named.length], [[], unchecked.length], named.join(' | '));
    });

  it('are found in time in proportion to the length', () => {
    const parts = ['only ', 'keep the a ', 'at most 5 ', 'must a ', 'a, ', 'no a ', 'under 5 s '];
    for (const part of parts) {
      const text = part.repeat(19_000 / part.length);
      assertInProportion((share) => uncheckedDemands(text.slice(0, text.length * share)), part);
    }
  });
});
