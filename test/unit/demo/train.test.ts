import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, it } from 'mocha';
import { readGoal } from '../../../src/models/demo/goal.ts';
import { readSpace } from '../../../src/models/demo/space.ts';

const folder = path.resolve('media/demo');
const run = promisify(execFile);
const train = async (...args: string[]): Promise<string> =>
  (await run('python3', ['train.py', ...args], { cwd: folder })).stdout;
const lastValue = (output: string): number => Number(/.*val_loss=(\S+)/s.exec(output)?.[1]);
const goal = readGoal(readFileSync(path.join(folder, 'goal.txt'), 'utf8'));

describe('demo task', function () {
  // Real training: seconds on a quiet machine.
  this.timeout(300_000);

  it('has a goal and hyper-parameters that the scripted researcher understands', () => {
    assert.equal(goal?.metric, 'val_loss');
    assert.equal(goal.direction, 'lower');
    const space = readSpace(readFileSync(path.join(folder, 'train.py'), 'utf8'));
    assert.deepEqual(space?.base, { lr: 0.01, momentum: 0, hidden: 16 });
  });

  it('gives the same numbers for the same arguments, and others for another seed', async () => {
    const args = ['--steps', '60', '--lr', '0.3'];
    const [first, second, other] = await Promise.all([
      train(...args),
      train(...args),
      train(...args, '--seed', '2'),
    ]);
    assert.equal(first, second);
    assert.notEqual(first, other);
    assert.match(first, /^step=50 loss=\d\.\d{4} val_loss=\d\.\d{4} acc=0\.\d{4}\nstep=60 /);
  });

  it('says NaN and fails when the learning rate is too large', async () => {
    await assert.rejects(train('--lr', '10'), (error: unknown) => {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      assert.equal(code, 1);
      assert.match(stdout, /val_loss=nan/);
      assert.match(stderr, /diverged at step \d+/);
      return true;
    });
  });

  it('misses the goal with its defaults, and meets it where the search leads', async () => {
    const [defaults, found] = await Promise.all([train(), train('--lr', '1', '--hidden', '32')]);
    assert.ok(goal !== undefined);
    assert.ok(lastValue(defaults) > goal.threshold + 0.5, `defaults: ${lastValue(defaults)}`);
    assert.ok(lastValue(found) < goal.threshold - 0.02, `found: ${lastValue(found)}`);
  });
});
