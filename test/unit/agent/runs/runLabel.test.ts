import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { pointLabel, runLabel } from '../../../../src/agent/runs/runLabel.ts';

describe('label of a run', () => {
  it('is the command as long as nothing differs', () => {
    const command = 'python3 train.py --lr 0.1';
    assert.equal(runLabel(command, []), command);
    assert.equal(runLabel(command, ['python3 other.py --lr 5', command]), command);
    assert.equal(runLabel(`echo ${'x'.repeat(90)}`, []).length, 60);
  });

  it('says in what the run differs from the earlier ones of its program', () => {
    const base = 'python3 train.py --lr 0.1 --bs 32 --seed 0';
    assert.equal(runLabel('python3 train.py --lr 3e-2 --bs 32 --seed 0', [base]), 'lr=0.03');
    assert.equal(runLabel('python3 train.py --lr 0.1 --bs 32 --seed 1', [base]), 'seed=1');
    assert.equal(
      runLabel('python train.py --bs 64 --amp --seed 0', ['python3 eval.py', base]),
      'bs=64 amp',
    );
  });

  it('names each option that has varied so far', () => {
    const before = ['train --lr 0.1 --bs 32', 'train --lr 0.2 --bs 32'];
    assert.equal(runLabel('train --lr 0.2 --bs 64', before), 'bs=64 lr=0.2');
  });

  it('adds to the label of a point what the whole sweep has and earlier runs have not', () => {
    const points = [1, 2].map((seed) => ({
      params: { seed },
      label: `seed=${seed}`,
      command: `train --lr 0.2 --batch_size 32 --seed ${seed}`,
    }));
    const [first] = points;
    assert.ok(first);
    assert.equal(pointLabel(first, points, []), 'seed=1');
    const before = ['train --lr 0.1 --batch_size 32 --seed 5', 'train --lr 0.1 --hidden 8'];
    assert.equal(pointLabel(first, points, before), 'seed=1 lr=0.2 batch-size=32');
  });

  it('begins with what differs from the run before, and leaves out whole options at the end', () => {
    const of = (lr: string, epochs: number): string =>
      `python3 forecast.py --seed 0 --opt adam --lr ${lr} --window 64 --hidden 64 --epochs ${epochs}`;
    const before = ['python3 forecast.py --seed 0', of('0.001', 120)];
    assert.equal(
      runLabel(of('0.003', 600), before),
      'lr=0.003 epochs=600 opt=adam window=64 hidden=64',
    );
    const [first, second] = ['3e-3', '1e-3'].map((lr, index) => ({
      params: { lr, cosine: 1 - index },
      label: `lr=${lr} cosine=${1 - index} seed=0`,
      command: `${of(lr, 600)} --cosine ${1 - index}`,
    }));
    assert.ok(first && second);
    assert.equal(
      pointLabel(first, [first, second], before),
      'lr=3e-3 cosine=1 seed=0 epochs=600 opt=adam window=64 …',
    );
    assert.equal(pointLabel({ ...first, label: 'x'.repeat(70) }, [first], []).length, 60);
  });

  it('does not name an option of a sweep with one point twice', () => {
    const point = { params: { lr: 1 }, label: 'lr=1', command: 'train --lr 1 --seed 2' };
    assert.equal(pointLabel(point, [point], ['train --lr 3 --seed 1']), 'lr=1 seed=2');
  });
});
