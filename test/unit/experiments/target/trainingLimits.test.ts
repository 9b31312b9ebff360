import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import {
  judgeTraining,
  readTrainingLimits,
} from '../../../../src/experiments/target/trainingLimits.ts';
import { lossOf } from '../../../fakes/nights.ts';
import { loadShell } from '../../../../src/shell/grammar.ts';

describe('limits of a goal for each run', () => {
  before(() => loadShell());

  const goals: readonly (readonly [goal: string, ...limits: string[]])[] = [
    ['val_loss < 0.2 with at most 3 epochs per run', '3 epochs'],
    ['Reach val_acc > 0.9 in no more than 5 epochs.', '5 epochs'],
    ['val_loss < 0.3, höchstens 3 Epochen pro Lauf', '3 epochs'],
    ['val_loss < 0.3. Max 5 epochs.', '5 epochs'],
    ['val_loss < 0.3 with fewer than 4 epochs', '3 epochs'],
    ['val_loss < 0.3, up to 2,000 training steps', '2000 steps'],
    ['val_loss < 0.3, at most 500 steps per run', '500 steps'],
    ['val_loss < 0.3 in at most 500 steps'],
    ['val_loss < 0.3, at most 30 epochs in total'],
    ['val_loss < 0.3 with a total of at most 30 epochs'],
    ['val_loss < 0.3, warm up for at most 3 epochs'],
    ['patience of at most 3 epochs'],
    ['at most 3 epochs of warmup'],
    ['at most 3 epochs per run, and at most 5 epochs for the last'],
    ['at most 3 epochs per run, at most 5 epochs each'],
    ['val_loss < 0.3 after at most 3 epochs'],
    ['at least 3 epochs'],
  ];
  for (const [goal, ...limits] of goals)
    it(`are read: ${goal}`, () => {
      const read = readTrainingLimits(goal).map(({ unit, max }) => `${max} ${unit}`);
      assert.deepEqual(read, limits);
    });

  const commands: readonly (readonly [command: string, asked?: number])[] = [
    ['python train.py --epochs 5', 5],
    ['python train.py --max_epochs=4 --lr 0.1', 4],
    ['python train.py trainer.max_epochs=5', 5],
    ['timeout 60 python train.py --num-train-epochs 7', 7],
    ['python train.py --epochs 3'],
    ['python train.py'],
    ['python train.py --warmup-epochs 5'],
    ['EPOCHS=5 python train.py'],
    ['python train.py --epochs 5 --resume last.pt'],
    ['python train.py --epochs 2 && python plot.py --epochs 9'],
    ['python train.py --epochs 2 trainer.max_epochs=5'],
    ['python train.py --epochs auto'],
  ];
  for (const [command, asked] of commands)
    it(`${asked === undefined ? 'are not certainly broken' : 'are broken'} by ${command}`, () =>
      assert.equal(
        judgeTraining(readTrainingLimits('at most 3 epochs per run'), { launched: { command } })
          ?.why,
        asked && `its command asks for ${asked} epochs, and the goal allows at most 3`,
      ));

  const printed: readonly (readonly [command: string, max: number, verdict?: string])[] = [
    ['python train.py', 4, 'invalid: it printed epoch 4, and the goal allows at most 3'],
    ['python train.py --epochs 5', 4, 'invalid: it printed epoch 4, and the goal allows at most 3'],
    ['python train.py --epochs 3', 3],
    ['python train.py', 3],
    [
      'python train.py --epochs 5',
      2,
      'valid: its command asks for 5 epochs, but it printed no epoch above 2',
    ],
    ['python train.py --resume last.pt', 9],
  ];
  for (const [command, max, verdict] of printed)
    it(`are compared with epoch ${max} that ${command} printed`, () => {
      const metrics = [lossOf(1, { metric: 'epoch', direction: 'none', min: 1, max })];
      const limits = readTrainingLimits('at most 3 epochs per run');
      const judged = judgeTraining(limits, { launched: { command }, metrics });
      assert.equal(judged && `${judged.isOver ? 'invalid' : 'valid'}: ${judged.why}`, verdict);
    });
});
