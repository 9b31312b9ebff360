import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { runLabel } from '../../../../src/agent/runs/runLabel.ts';

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

  it('begins with what differs from the run before, and leaves out whole options at the end', () => {
    const of = (lr: string, epochs: number): string =>
      `python3 forecast.py --seed 0 --opt adam --lr ${lr} --window 64 --hidden 64 --epochs ${epochs}`;
    const before = ['python3 forecast.py --seed 0', of('0.001', 120)];
    assert.equal(
      runLabel(of('0.003', 600), before),
      'lr=0.003 epochs=600 opt=adam window=64 hidden=64',
    );
  });
});
