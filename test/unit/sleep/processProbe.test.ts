import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'mocha';
import { probeProcess } from '../../../src/sleep/processProbe.ts';
import { FakeMachine } from './fakeWorld.ts';

describe('probeProcess', () => {
  const machine = new FakeMachine('local');
  machine.onExec = (command) =>
    new Promise((resolve) => {
      execFile('/bin/sh', ['-c', command], (_, stdout) => resolve(stdout));
    });

  it('tells a living process from one that has ended', async () => {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    const first = await probeProcess(machine, pid);
    assert.ok(first !== undefined && first.startTime !== '');
    assert.deepEqual(await probeProcess(machine, pid), first);
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.equal(await probeProcess(machine, pid), undefined);
  });

  it('takes a zombie for ended', async () => {
    const parent = spawn('/bin/sh', ['-c', 'true & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString().trim());
    for (let tries = 0; tries < 200 && (await probeProcess(machine, pid)) !== undefined; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(await probeProcess(machine, pid), undefined);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
  });

  it('does not guess when the machine gives no answer', async () => {
    const mute = new FakeMachine('gpu1');
    await assert.rejects(probeProcess(mute, 1), /could not be found out/);
  });
});
