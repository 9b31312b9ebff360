import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { UserFacing } from '../../../src/base/errors.ts';
import {
  branchNameFor,
  promotable,
  promotedNotes,
  type Promotable,
} from '../../../src/compose/promoteExperiment.ts';
import type { ExperimentRow } from '../../../src/experiments/ledger.ts';

describe('an experiment to promote', () => {
  it('names the measured command where no code was stored', () => {
    const row = {
      id: 'e6',
      isChampion: true,
      command: 'python lm.py --cell rnn',
      plan: { machineId: 'gpu1', code: { kind: 'none', why: 'The folder is in no repository.' } },
      result: { runs: [{ command: 'python lm.py --cell gru' }] },
    } as unknown as ExperimentRow;
    assert.throws(
      () => promotable({ experiments: [row] }),
      (error) =>
        error instanceof UserFacing &&
        error.action === 'It was measured with: python lm.py --cell gru (on gpu1).',
    );
  });

  it('has a short name for its branch, which ends with a whole word', () => {
    const nameOf = (hypothesis: string) =>
      branchNameFor({ row: { id: 'e12', hypothesis } } as unknown as Promotable);
    const name = nameOf('A cosine schedule with warmup improves val_loss over the linear baseline');
    assert.equal(name, 'helios/a-cosine-schedule-with-warmup-e12');
    assert.equal(name.length, 40);
    assert.equal(nameOf('Half is less'), 'helios/half-is-less-e12');
    assert.equal(nameOf('x'.repeat(80)), `helios/${'x'.repeat(29)}-e12`);
    assert.equal(nameOf('…'), 'helios/e12');
  });

  it('names every seed of the result', () => {
    const runs = [3, 1, 2].map((seed) => ({ command: `python lm.py --lr 0.1 --seed ${seed}` }));
    const from = { row: { result: { runs } }, code: { kind: 'none' } } as unknown as Promotable;
    assert.deepEqual(promotedNotes(from), [
      'The result was measured with options, which are not part of the code: python lm.py --lr 0.1 --seed 3 (also with seed 1, 2)',
    ]);
  });
});
