import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import { settingColumns } from '../../../src/presentation/runs/settingColumns.ts';
import { loadShell } from '../../../src/shell/grammar.ts';

const runs = (...commands: readonly string[]) => commands.map((command) => ({ command }));

describe('the columns of options', () => {
  before(loadShell);

  it('name what was varied, without what is the same, seeds, programs and outputs', () => {
    const { names, values } = settingColumns([
      runs('python train.py --lr 0.1 --wd 0 --seed 1 --out a'),
      runs('python train.py --lr 0.01 --wd 0 --seed 2 --out b'),
      runs('python other.py --lr 0.01 --wd 0 --warmup 5'),
    ]);
    assert.deepEqual(names.map(bare), ['lr', 'warmup']);
    assert.deepEqual(values, [
      ['0.1', ''],
      ['0.01', ''],
      ['0.01', '5'],
    ]);
  });

  it('list the values of a sweep, or count them, and leave out what was not launched', () => {
    const sweep = [0.1, 0.2, 0.3].map((lr) => `train --lr ${lr}`);
    const { names, values } = settingColumns([
      runs(...sweep),
      runs(...sweep, 'train --lr 0.4'),
      [],
    ]);
    assert.deepEqual(names.map(bare), ['lr']);
    assert.deepEqual(values, [['0.1, 0.2, 0.3'], ['4 values'], ['']]);
  });

  it('are none for one command', () => {
    assert.deepEqual(settingColumns([runs('train --lr 1'), []]).names, []);
  });
});

const bare = (name: string): string => name.replace(/^-+/, '');
