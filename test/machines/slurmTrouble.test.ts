import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { systemClock, type Clock } from '../../src/base/clock.ts';
import { toDisposable } from '../../src/base/disposable.ts';
import { runFolder } from '../../src/runs/supervisor.ts';
import { LaunchFailure } from '../../src/runs/launchFailure.ts';
import { eventsOnly } from '../fakes/eventsOnly.ts';
import { until } from '../fakes/scratch.ts';
import { WarpClock } from '../fakes/warpClock.ts';
import { begun, endOf, useSlurm } from './slurmRuns.ts';

describe('runs on a Slurm cluster in trouble', () => {
  const { cluster, controller, spec } = useSlurm();

  /** A login host whose sbatch is `script`; `$REAL` is the real one. */
  function withSbatch(name: string, script: string): Readonly<Record<string, string>> {
    const folder = join(cluster().folder, name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'sbatch'), `#!/bin/bash\nREAL=/usr/bin/sbatch\n${script}\n`);
    chmodSync(join(folder, 'sbatch'), 0o755);
    return { PATH: `${folder}:${process.env['PATH']}`, BASH_ENV: '' };
  }

  const jobsNamed = (name: string): string[] =>
    cluster()
      .tell('squeue', '-h', '-t', 'all', `--name=${name}`, '-o', '%i')
      .trim()
      .split('\n')
      .filter(Boolean);

  it('submits once when the answer is lost', async () => {
    // Both the command and the shell that waits for it are gone when the job is there.
    const env = withSbatch(
      'lost',
      'out=$("$REAL" "$@"); echo "$out" >>"$0.log"; kill -9 "$PPID"; kill -9 $$',
    );
    // Held, so that the job cannot tell of itself.
    const { runs } = controller({ env, entry: { flags: ['--hold'] } });
    const run = await runs.launch(spec('echo once'));
    assert.equal(run.liveness.kind, 'queued');
    cluster().tell('scontrol', 'release', run.handle?.split(':')[1] ?? '');
    assert.deepEqual(await endOf(run), { kind: 'ok' });
    assert.equal(
      readFileSync(join(cluster().folder, 'lost', 'sbatch.log'), 'utf8')
        .trim()
        .split('\n').length,
      1,
    );
    assert.deepEqual(jobsNamed(run.spec.id).length, 1);
    assert.equal((await runs.output(run, { lines: 5 })).text, 'once');
  });

  it('is submitted once by several who ask at a time', async () => {
    const point = spec('echo once; sleep 1');
    const launched = await Promise.all([1, 2, 3].map(() => controller().runs.launch(point)));
    assert.equal(new Set(launched.map(({ handle }) => handle)).size, 1);
    assert.equal(jobsNamed(point.id).length, 1);
    for (const run of launched) assert.deepEqual(await endOf(run), { kind: 'ok' });
  });

  it('is taken up by another controller, in the queue and while it goes on', async () => {
    const first = controller();
    const held = controller({ entry: { flags: ['--hold'] } });
    const going = spec('for i in $(seq 40); do echo "step=$i loss=0.$i"; sleep 0.2; done');
    const waiting = spec('echo "loss=1"');
    await begun(await first.runs.launch(going));
    const { handle } = await held.runs.launch(waiting);
    first.runs.dispose();
    held.runs.dispose();

    const second = controller();
    const [run, queued] = [await second.runs.adopt(going), await second.runs.adopt(waiting)];
    assert.ok(run && queued);
    assert.deepEqual([queued.handle, queued.liveness.kind], [handle, 'queued']);
    assert.equal(await second.runs.adopt(spec('never launched')), undefined);
    cluster().tell('scontrol', 'release', handle?.split(':')[1] ?? '');
    assert.deepEqual([await endOf(run), await endOf(queued)], [{ kind: 'ok' }, { kind: 'ok' }]);
    assert.equal(run.metrics.series('loss').values.length, 40);
    // When everything is over, a third finds it so at once.
    const third = await controller().runs.adopt(going);
    assert.deepEqual(third?.liveness.kind === 'ended' && third.liveness.verdict, { kind: 'ok' });
  });

  it('ends nothing while the controller of the cluster is away', async () => {
    const { runs } = controller();
    const going = await runs.launch(spec('sleep 300'));
    const short = await runs.launch(spec('sleep 2; echo done'));
    await begun(going);
    await begun(short);
    await cluster().stopController();
    try {
      await until('it is noticed', () => going.liveness.kind === 'unknown', 60_000);
      // What its supervisor wrote is its end, whoever is away.
      assert.deepEqual(await endOf(short), { kind: 'ok' });
      const run = spec('echo never');
      const launch = runs.launch(run).then(
        () => 'launched',
        (error: unknown) => (error instanceof LaunchFailure ? error.reason : error),
      );
      assert.equal(going.liveness.kind, 'unknown');
      await cluster().startController();
      assert.equal(await launch, 'launched', 'it is asked again until the controller is back');
    } finally {
      if (going.liveness.kind === 'unknown') await cluster().startController();
    }
    await until('it goes on', () => going.liveness.kind === 'running', 60_000);
    assert.equal((await runs.kill(going, { graceMs: 1000 })).isVerified, true);
    assert.deepEqual(await endOf(going), { kind: 'killed' });
  }).timeout(200_000);

  it('goes on while it shows signs of life, whatever becomes of its job', async () => {
    const clock = new WarpClock();
    const { runs, machine } = controller({ clock });
    const run = await runs.launch(spec('sleep 300'));
    await begun(run);
    const { scheduler } = machine;
    const truth = scheduler.state.bind(scheduler);
    // So says a controller that lost its state and started the job a second time.
    let asked = 0;
    scheduler.state = () => {
      asked += 1;
      return Promise.resolve({ kind: 'ended', end: { kind: 'completed' }, endedMs: Date.now() });
    };
    const { heartbeat } = runFolder(machine.runsFolder, run.spec.id);
    await until('its supervisor beats', () => existsSync(heartbeat));
    for (let beat = 1; beat <= 12; beat += 1) {
      utimesSync(heartbeat, beat, beat);
      const before = asked;
      await clock.warp(5000);
      await until('it is looked at', () => asked > before + 1);
      assert.equal(run.liveness.kind, 'running');
    }
    // Its supervisor shows that it lives meanwhile.
    assert.equal((await runs.kill(run)).isVerified, false);
    scheduler.state = truth;
    assert.equal((await runs.kill(run, { graceMs: 1000 })).isVerified, true);
    assert.deepEqual(await endOf(run), { kind: 'killed' });
    clock.dispose();
  });

  it('notices the end at once, by file events', async () => {
    // No check of a run is ever due: that is what 2 s are for.
    const unchecked: Clock = {
      now: () => systemClock.now(),
      after: (delayMs, callback) =>
        delayMs === 2000 ? toDisposable(() => undefined) : systemClock.after(delayMs, callback),
    };
    const { runs, changes } = controller({ clock: unchecked, wrap: eventsOnly });
    const latencies: number[] = [];
    // The run may be over before its launch has told.
    runs.onDidChange((change) => {
      if (change.kind === 'ended') latencies.push(Date.now() - change.endedMs);
    });
    for (let count = 0; count < 5; count += 1) await endOf(await runs.launch(spec('sleep 0.5')));
    assert.equal(changes.filter(({ kind }) => kind === 'ended').length, 5);
    console.log(`      exit → ended: ${latencies.join(', ')} ms`);
  });
});
