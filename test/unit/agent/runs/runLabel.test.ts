import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { distinctLabel, runLabel } from '../../../../src/agent/runs/runLabel.ts';

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

  it('names the experiment where a run of another one has the same label', () => {
    const specs = [
      { label: 'lr=0.1', experimentId: 'e1' },
      { label: 'reproduction', experimentId: 'e1' },
      { label: `${'x'.repeat(59)}…`, experimentId: 'e1' },
    ];
    const state = { runs: new Map(specs.map((spec, index) => [index, { spec }])) } as never;
    assert.equal(distinctLabel('lr=0.1', 'e2', state), 'lr=0.1 (e2)');
    assert.equal(distinctLabel('reproduction', 'e2', state), 'reproduction (e2)');
    assert.equal(distinctLabel('lr=0.1', 'e1', state), 'lr=0.1', 'a repeat');
    assert.equal(distinctLabel('lr=0.2', 'e2', state), 'lr=0.2');
    assert.equal(distinctLabel('lr=0.1', undefined, state), 'lr=0.1');
    const long = distinctLabel('x'.repeat(70), 'e2', state);
    assert.match(long, /^x+… \(e2\)$/);
    assert.equal(long.length, 60);
  });
});
