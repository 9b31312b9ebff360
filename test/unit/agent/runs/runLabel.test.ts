import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { RunState } from '../../../../src/agent/journal/state.ts';
import { runLabel } from '../../../../src/agent/runs/runLabel.ts';

const earlier = (...commands: string[]): ReadonlyMap<string, RunState> =>
  new Map(commands.map((command) => [command, { spec: { command } } as RunState]));

describe('label of a run', () => {
  it('is the command as long as nothing differs', () => {
    const command = 'python3 train.py --lr 0.1';
    assert.equal(runLabel(command, earlier()), command);
    assert.equal(runLabel(command, earlier('python3 other.py --lr 5', command)), command);
    assert.equal(runLabel(`echo ${'x'.repeat(90)}`, earlier()).length, 60);
  });

  it('says in what the run differs from the earlier ones of its program', () => {
    const base = 'python3 train.py --lr 0.1 --bs 32 --seed 0';
    assert.equal(runLabel('python3 train.py --lr 3e-2 --bs 32 --seed 0', earlier(base)), 'lr=0.03');
    assert.equal(runLabel('python3 train.py --lr 0.1 --bs 32 --seed 1', earlier(base)), 'seed=1');
    assert.equal(
      runLabel('python train.py --bs 64 --amp --seed 0', earlier('python3 eval.py', base)),
      'bs=64 amp no lr',
    );
  });

  it('names each option that has varied so far', () => {
    const before = earlier('train --lr 0.1 --bs 32', 'train --lr 0.2 --bs 32');
    assert.equal(runLabel('train --lr 0.2 --bs 64', before), 'lr=0.2 bs=64');
  });
});
