import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { UserFacing } from '../../../src/base/errors.ts';
import {
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

  it('names every seed of the result', () => {
    const runs = [3, 1, 2].map((seed) => ({ command: `python lm.py --lr 0.1 --seed ${seed}` }));
    const from = { row: { result: { runs } }, code: { kind: 'none' } } as unknown as Promotable;
    assert.deepEqual(promotedNotes(from), [
      'The result was measured with options, which are not part of the code: python lm.py --lr 0.1 --seed 3 (also with seed 1, 2)',
    ]);
  });
});
