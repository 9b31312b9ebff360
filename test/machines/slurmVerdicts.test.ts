import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { LaunchFailure } from '../../src/runs/launchFailure.ts';
import type { Verdict } from '../../src/runs/run.ts';
import { until } from '../fakes/scratch.ts';
import { begun, endOf, useSlurm } from './slurmRuns.ts';

describe('verdicts of runs on a Slurm cluster', () => {
  const { cluster, controller, spec } = useSlurm();

  const endings: readonly (readonly [string, Verdict])[] = [
    ['echo good', { kind: 'ok' }],
    ['exit 3', { kind: 'failed', code: 3 }],
    ['exec sh -c "exit 4"', { kind: 'failed', code: 4 }],
    ['set -e; false; echo never', { kind: 'failed', code: 1 }],
    ['kill -9 $$', { kind: 'signalled', signal: 'KILL' }],
    ['kill -SEGV $$', { kind: 'signalled', signal: 'SEGV' }],
  ];
  for (const [command, verdict] of endings)
    it(`tells truly how it ended: ${command}`, async () => {
      const { runs, changes } = controller();
      const run = await runs.launch(spec(command));
      assert.match(run.handle ?? '', /^hpc:\d+$/);
      assert.deepEqual(await endOf(run), verdict);
      assert.equal(run.process?.jobId, run.handle?.split(':')[1]);
      const kinds = changes.map(({ kind }) => kind).filter((kind) => kind !== 'queued');
      assert.deepEqual([kinds[0], kinds.at(-1)], ['started', 'ended']);
      assert.equal(kinds.filter((kind) => kind === 'ended').length, 1);
    });

  it('reads every byte of a burst of 200,000 lines', async () => {
    const { runs, machine } = controller();
    const run = await runs.launch(spec('seq 200000'));
    assert.deepEqual(await endOf(run), { kind: 'ok' });
    const expected = Array.from({ length: 200_000 }, (_, index) => `${index + 1}\n`).join('');
    const digest = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');
    assert.equal(digest(await machine.readFile(run.outputPath)), digest(expected));
  });

  it('ends at its own limit before that of its job', async () => {
    const { runs } = controller();
    const run = await runs.launch(spec('sleep 60', { limit: { ms: 2000, from: 'launch' } }));
    assert.deepEqual(await endOf(run), { kind: 'time_limit' });
  });

  it('is killed with its children, verified', async () => {
    const { runs } = controller();
    const run = await runs.launch(
      spec('trap "" TERM; setsid sleep 77 & sleep 77 & echo $$; wait; wait'),
    );
    await begun(run);
    await until('it prints', () => run.lastOutputMs !== undefined);
    const result = await runs.kill(run, { graceMs: 500 });
    assert.deepEqual([result.isVerified, result.isEscalated, result.left], [true, true, []]);
    assert.ok(result.signalled.length >= 3);
    assert.deepEqual(await endOf(run), { kind: 'killed' });
  });

  it('leaves the queue when it is killed there', async () => {
    const { runs, changes } = controller({ entry: { flags: ['--hold'] } });
    const run = await runs.launch(spec('echo never'));
    assert.equal(run.liveness.kind === 'queued' && run.liveness.why, 'JobHeldUser');
    assert.deepEqual(
      changes.map(({ kind }) => kind),
      ['queued'],
    );
    const result = await runs.kill(run);
    assert.deepEqual([result.isVerified, run.liveness.kind], [true, 'ended']);
    assert.deepEqual(await endOf(run), { kind: 'killed' });
    assert.equal(run.process, undefined);
  });

  it('is killed while the shell of its job reads its profile, and is not ready for orders yet', async () => {
    const home = join(cluster().folder, 'slow-home');
    mkdirSync(home);
    writeFileSync(join(home, '.bash_profile'), 'sleep 5\n');
    const { runs } = controller({ env: { HOME: home } });
    const run = await runs.launch(spec('echo never'));
    const id = run.handle?.split(':')[1] ?? '';
    await until('Slurm says that it runs', () =>
      /RUNNING/.test(cluster().tell('squeue', '-h', '-j', id, '-o', '%T')),
    );
    assert.equal((await runs.kill(run, { graceMs: 500 })).isVerified, true);
    assert.deepEqual(await endOf(run), { kind: 'killed' });
  });

  it('runs the prologue where the command runs, and tells of one that fails', async () => {
    const good = controller({
      entry: { prologue: ['export FROM_PROLOGUE=yes', 'if true; then :; fi'] },
    });
    const run = await good.runs.launch(
      spec('echo "got $FROM_PROLOGUE $OWN"', { env: { OWN: "it's" } }),
    );
    assert.deepEqual(await endOf(run), { kind: 'ok' });
    assert.equal((await good.runs.output(run, { lines: 5 })).text, "got yes it's");
    const bad = controller({ entry: { prologue: ['echo loading', 'load_module cuda/99'] } });
    const failed = await bad.runs.launch(spec('echo never'));
    assert.deepEqual(await endOf(failed), { kind: 'failed', code: 127 });
    const { text } = await bad.runs.output(failed, { lines: 5 });
    assert.match(
      text,
      /load_module: command not found\nThe prologue of hpc failed with exit code 127: load_module cuda\/99/,
    );
  });

  it('says why Slurm refuses a job', async () => {
    const { runs } = controller({ entry: { partition: 'nowhere' } });
    const run = spec('echo never');
    await assert.rejects(runs.launch(run), (error) => {
      assert.ok(error instanceof LaunchFailure);
      assert.equal(error.reason, 'not_started');
      assert.match(
        error.message,
        /Slurm refused the job: <untrusted[^>]*>sbatch: error: .*invalid partition.*nowhere/i,
      );
      return true;
    });
    assert.equal(await runs.adopt(run), undefined);
  });

  it('asks for what the entry and the run want', async () => {
    const { runs } = controller({
      entry: { partition: 'gpu', gpus: 1, memoryMb: 100, timeLimitMinutes: 7, cpus: 2 },
    });
    const run = await runs.launch(
      spec('echo "gpus=$CUDA_VISIBLE_DEVICES"; sleep 30', { resources: { gpus: 2 } }),
    );
    const job = cluster().tell('scontrol', 'show', 'job', '-o', run.handle?.split(':')[1] ?? '');
    assert.match(job, /TimeLimit=00:07:00/);
    assert.match(job, /Partition=gpu/);
    assert.match(job, /gres[:/]gpu[:=]2/);
    assert.match(job, /CPUs\/Task=2/);
    assert.match(job, /MinMemoryNode=100M/);
    await begun(run);
    await until('it prints', () => run.lastOutputMs !== undefined);
    assert.equal((await runs.output(run, { lines: 5 })).text, 'gpus=0,1');
    await runs.kill(run, { signal: 'KILL', graceMs: 0 });
    const limited = spec('true', { limit: { ms: 90_000, from: 'launch', graceMs: 10_000 } });
    const other = await controller({ entry: { flags: ['--hold'] } }).runs.launch(limited);
    assert.match(
      cluster().tell('scontrol', 'show', 'job', '-o', other.handle?.split(':')[1] ?? ''),
      /TimeLimit=00:04:00/,
    );
    cluster().tell('scancel', other.handle?.split(':')[1] ?? '');
  });

  it('hears INT, which a shell makes its background processes ignore', async () => {
    const { runs } = controller();
    const run = await runs.launch(
      spec("trap 'echo interrupted; exit 1' INT; echo 1; while :; do sleep 0.05; done"),
    );
    await until('it prints', () => run.lastOutputMs !== undefined);
    const result = await runs.kill(run, { signal: 'INT' });
    assert.deepEqual([result.isVerified, result.isEscalated], [true, false]);
    assert.match((await runs.output(run, { lines: 5 })).text, /interrupted/);
    assert.deepEqual(await endOf(run), { kind: 'killed' });
  });
});
