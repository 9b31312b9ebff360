import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Run } from '../../../src/runs/liveRun.ts';
import type { Runs } from '../../../src/runs/runs.ts';
import { until } from '../../fakes/scratch.ts';
import { apart, ended, isAlive, parentOf, statField, useRuns } from './harness.ts';
import { needs } from '../../setup/needs.ts';

/** The pids that the command printed, once there are `count`. */
async function printedPids(runs: Runs, run: Run, count: number): Promise<number[]> {
  let pids: number[] = [];
  await until(`${count} pids are printed`, async () => {
    pids = (await runs.output(run, { lines: 50 })).text.split('\n').filter(Boolean).map(Number);
    return pids.length >= count;
  });
  return pids;
}

describe('killing runs', () => {
  const { controller, spec } = useRuns();

  it('ends the command, its children and those with a session of their own', async () => {
    const { runs } = controller();
    const run = await runs.launch(
      spec(
        `sleep 60 & echo $!; (sleep 60 & echo $!; wait) & ${apart} sh -c "echo \\$\\$; sleep 60" & wait`,
      ),
    );
    const pids = await printedPids(runs, run, 3);
    const result = await runs.kill(run);
    assert.deepEqual(
      [result.isVerified, result.isEscalated, result.left, result.wasRunning],
      [true, false, [], true],
    );
    assert.deepEqual(pids.filter(isAlive), []);
    assert.deepEqual(await ended(run), { kind: 'killed' });
    for (const pid of pids) assert.ok(result.signalled.includes(pid), `${pid} was signalled`);
  });

  it('lets a command save its work, and calls it killed whatever its exit code', async () => {
    const { runs } = controller();
    const run = await runs.launch(
      spec("trap 'sleep 0.3; echo saved; exit 0' TERM; echo 1; while :; do sleep 0.05; done"),
    );
    await printedPids(runs, run, 1);
    const result = await runs.kill(run);
    assert.equal(result.isEscalated, false);
    assert.deepEqual(await ended(run), { kind: 'killed' });
    assert.match((await runs.output(run, { lines: 5 })).text, /saved/);
  });

  needs('linux')(
    'sends USR1 and USR2 only to processes that handle them, which go on',
    async () => {
      const { runs } = controller();
      const run = await runs.launch(
        spec("trap 'echo 7' USR1; sleep 60 & echo $!; while :; do sleep 0.05; done"),
      );
      const [child = 0] = await printedPids(runs, run, 1);
      const { signalled } = await runs.kill(run, { signal: 'USR1' });
      assert.ok(signalled.includes(run.process?.pid ?? 0));
      assert.ok(!signalled.includes(child));
      assert.equal((await printedPids(runs, run, 2))[1], 7);
      await runs.kill(run, { signal: 'USR2' });
      assert.ok(isAlive(child));
      assert.equal(run.liveness.kind, 'running');
      await runs.kill(run);
    },
  );

  needs('linux')(
    'counts no process that ends while its signals are read as one that handles them',
    async () => {
      const { runs } = controller();
      const run = await runs.launch(spec('echo 1; while :; do sleep 0.004; done'));
      await printedPids(runs, run, 1);
      for (let sent = 0; sent < 60; sent++)
        assert.deepEqual((await runs.kill(run, { signal: 'USR1' })).signalled, []);
      await runs.kill(run);
    },
  );

  it('forces those that ignore TERM', async () => {
    const { runs } = controller();
    const run = await runs.launch(
      spec(
        `trap "" TERM; ${apart} sh -c "echo \\$\\$; sleep 60; sleep 60" & echo $$; sleep 60; sleep 60`,
      ),
    );
    const pids = await printedPids(runs, run, 2);
    const result = await runs.kill(run, { graceMs: 300 });
    assert.deepEqual([result.isVerified, result.isEscalated], [true, true]);
    assert.deepEqual(pids.filter(isAlive), []);
    assert.deepEqual(await ended(run), { kind: 'killed' });
  });

  it('interrupts with INT, which a background process of a shell would not hear', async () => {
    const { runs } = controller();
    const run = await runs.launch(
      spec("trap 'echo interrupted; exit 1' INT; echo 1; while :; do sleep 0.05; done"),
    );
    await printedPids(runs, run, 1);
    assert.equal((await runs.kill(run, { signal: 'INT' })).isEscalated, false);
    assert.match((await runs.output(run, { lines: 5 })).text, /interrupted/);
  });

  it('pauses and resumes without ending', async () => {
    const { runs } = controller();
    const run = await runs.launch(spec('while :; do sleep 0.05; done'));
    const pid = run.process?.pid ?? 0;
    await runs.kill(run, { signal: 'STOP' });
    await until('stopped', () => statField(pid, 0) === 'T');
    const result = await runs.kill(run, { signal: 'CONT' });
    await until('going on', () => statField(pid, 0) !== 'T');
    assert.equal(result.isVerified, false);
    assert.equal(run.liveness.kind, 'running');
    await runs.kill(run);
    assert.deepEqual(await ended(run), { kind: 'killed' });
  });

  it('touches nothing but the run', async () => {
    const { runs } = controller();
    const [run, other] = await Promise.all([
      runs.launch(spec('sleep 60')),
      runs.launch(spec('sleep 60')),
    ]);
    const result = await runs.kill(run);
    assert.ok(isAlive(other.process?.pid ?? 0));
    assert.ok(!result.signalled.includes(parentOf(other.process?.pid ?? 0)));
    assert.equal(other.liveness.kind, 'running');
    assert.deepEqual((await runs.kill(run)).signalled, [], 'killing again finds nobody');
  });
});
