import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { until } from '../fakes/scratch.ts';
import { begun, endOf, useSlurm } from './slurmRuns.ts';

describe('runs that a Slurm cluster interferes with', () => {
  const { cluster, controller, spec } = useSlurm();

  it('is ended by the time limit of its job, with a warning before', async () => {
    const warning = { signal: 'USR1', seconds: 45 };
    const { runs } = controller({ entry: { timeLimitMinutes: 1, warning, partition: 'urgent' } });
    const command = "trap 'echo warned' USR1; trap 'echo INT' INT; while :; do sleep 0.2; done";
    const run = await runs.launch(spec(command));
    await begun(run);
    await runs.kill(run, { signal: 'STOP' });
    await runs.kill(run, { signal: 'CONT' });
    assert.deepEqual(await endOf(run, 150_000), { kind: 'time_limit' });
    // Its shell may also say what the signal did to the program that it was waiting for.
    const said = (await runs.output(run, { lines: 20 })).text.split('\n');
    assert.ok(said.includes('warned'), said.join(' | '));
  }).timeout(200_000);

  it('is lost, with the reason, when its node fails', async () => {
    const { runs } = controller({ entry: { partition: 'gpu' } });
    const run = await runs.launch(spec('sleep 300'));
    await begun(run);
    cluster().tell('scontrol', 'update', 'nodename=two', 'state=down', 'reason=burnt');
    try {
      const verdict = await endOf(run);
      assert.ok(verdict.kind === 'lost', JSON.stringify(verdict));
      assert.match(verdict.why, /NODE_FAIL/);
    } finally {
      // It comes back by itself; when that was before this, there is nothing to do.
      await until('node two is there again', () => {
        if (cluster().tell('sinfo', '-h', '-n', 'two', '-p', 'gpu', '-o', '%T').trim() === 'idle')
          return true;
        cluster().tell('scontrol', 'update', 'nodename=two', 'state=idle');
        return false;
      });
    }
  });

  it('is preempted where its partition cancels', async () => {
    const { runs } = controller();
    const victim = await runs.launch(spec('sleep 300', { resources: { cpus: 2 } }));
    await begun(victim);
    const urgent = controller({ entry: { partition: 'urgent', flags: ['--nodelist=one'] } });
    const run = await urgent.runs.launch(spec('echo urgent', { resources: { cpus: 2 } }));
    assert.deepEqual(await endOf(victim), { kind: 'preempted' });
    assert.deepEqual(await endOf(run), { kind: 'ok' });
  });

  it('goes back to the queue where its partition requeues, and begins anew as the same run', async () => {
    const { runs, changes } = controller({ entry: { partition: 'gpu', requeue: true } });
    const command =
      'echo "restart ${SLURM_RESTART_COUNT:-0}"; [ -n "$SLURM_RESTART_COUNT" ] || sleep 300';
    const victim = await runs.launch(spec(command, { resources: { cpus: 2 } }));
    await begun(victim);
    const first = victim.process;
    const urgent = controller({ entry: { partition: 'urgent', flags: ['--nodelist=two'] } });
    const run = await urgent.runs.launch(spec('sleep 3', { resources: { cpus: 2 } }));
    await until('it waits again', () => victim.liveness.kind === 'queued');
    assert.equal(victim.process, undefined);
    assert.deepEqual(await endOf(run), { kind: 'ok' });
    // Slurm holds back for two minutes what was put back into the queue.
    cluster().tell('scontrol', 'update', `jobid=${victim.handle?.split(':')[1]}`, 'starttime=now');
    assert.deepEqual(await endOf(victim, 150_000), { kind: 'ok' });
    // Its shell may still say what became of its program.
    const said = (await runs.output(victim, { lines: 5 })).text
      .split('\n')
      .filter((line) => line !== 'Terminated');
    assert.deepEqual(said, ['restart 0', 'restart 1']);
    assert.notDeepEqual(victim.process, first);
    const kinds = changes
      .map(({ kind }) => kind)
      .filter((kind, index, all) => kind !== 'output' && kind !== all[index - 1]);
    // At the first look it waits, or has begun already.
    assert.deepEqual(kinds.slice(kinds.indexOf('started')), [
      'started',
      'queued',
      'started',
      'ended',
    ]);
  }).timeout(240_000);
});
