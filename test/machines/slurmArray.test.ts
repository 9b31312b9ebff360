import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Machine } from '../../src/machines/machine.ts';
import type { Run } from '../../src/runs/liveRun.ts';
import { until } from '../fakes/scratch.ts';
import { endOf, useSlurm } from './slurmRuns.ts';

/** A login host that counts the questions to Slurm. */
function counting(questions: string[]): (login: Machine) => Machine {
  return (login) =>
    new Proxy(login, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (name !== 'query')
          return typeof member === 'function' ? (member.bind(target) as unknown) : member;
        return (script: string) => {
          const command = /\b(squeue|sacct)\b.* -j/.exec(script)?.[1];
          if (command !== undefined) questions.push(command);
          return target.query(script);
        };
      },
    });
}

describe('job arrays', () => {
  const { cluster, controller, spec } = useSlurm();

  it('runs twelve in two places, one cancelled, one over its time, and loses none when the controller is restarted', async () => {
    const questions: string[] = [];
    const { runs, changes } = controller({ wrap: counting(questions) });
    const points = Array.from({ length: 12 }, (_, index) =>
      spec(
        `for step in 1 2 3; do echo "step=$step loss=${index}.5"; sleep ${index === 5 ? 30 : 0.3}; done; exit ${index === 7 ? 3 : 0}`,
        {
          label: `point ${index}`,
          ...(index === 5 && { limit: { ms: 3000, from: 'launch' as const } }),
        },
      ),
    );
    const startedMs = performance.now();
    const outcomes = await runs.launchTogether(points, { maxParallel: 2 });
    const launched = outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value : assert.fail(String(outcome.reason)),
    );
    const base = launched[0]?.handle?.split('_')[0];
    assert.deepEqual(
      launched.map(({ handle }) => handle),
      points.map((_, index) => `${base}_${index}`),
    );
    const jobs = cluster().tell('squeue', '-h', '-r', '-o', '%F').trim().split('\n');
    assert.equal(new Set(jobs).size, 1, 'one array');

    const eleven = launched[11] as Run;
    const cancelled = await runs.kill(eleven);
    assert.equal(cancelled.isVerified, true);

    let max = 0;
    const running = (): number =>
      launched.filter(({ liveness }) => liveness.kind === 'running').length;
    await until(
      'three are over',
      () => {
        max = Math.max(max, running());
        return launched.filter(({ liveness }) => liveness.kind === 'ended').length >= 4;
      },
      60_000,
    );
    await cluster().stopController();
    await until(
      'it is noticed',
      () => launched.some(({ liveness }) => liveness.kind === 'unknown'),
      60_000,
    );
    await cluster().startController();

    const verdicts = [];
    for (const run of launched) verdicts.push(await endOf(run, 120_000));
    const minutes = (performance.now() - startedMs) / 60_000;
    console.log(
      `      ${questions.length} questions in ${minutes.toFixed(2)} minutes: ${(questions.length / minutes).toFixed(0)} a minute`,
    );
    assert.deepEqual(
      verdicts.map((verdict) =>
        verdict.kind === 'failed' ? `failed ${verdict.code}` : verdict.kind,
      ),
      ['ok', 'ok', 'ok', 'ok', 'ok', 'time_limit', 'ok', 'failed 3', 'ok', 'ok', 'ok', 'killed'],
    );
    assert.ok(max <= 2, `${max} at a time`);
    for (const [index, run] of launched.entries()) {
      if (index === 11) continue;
      const losses = run.metrics.series('loss').values;
      assert.deepEqual(
        [...losses],
        index === 5 ? [5.5] : [1, 2, 3].map(() => index + 0.5),
        `points of run ${index}`,
      );
      assert.equal(
        changes.filter((change) => change.kind === 'ended' && change.run === run).length,
        1,
      );
    }
  }).timeout(240_000);

  it('asks once for all runs of a moment', async () => {
    const questions: string[] = [];
    const { runs } = controller({ wrap: counting(questions), entry: { flags: ['--hold'] } });
    const points = Array.from({ length: 12 }, () => spec('echo never'));
    await runs.launchTogether(points);
    questions.length = 0;
    const sinceMs = performance.now();
    await until('it is asked again and again', () => questions.length >= 5);
    const tookMs = performance.now() - sinceMs;
    console.log(
      `      12 waiting jobs: ${((questions.length * 60_000) / tookMs).toFixed(0)} questions a minute`,
    );
    // One may be under way at first, and one comes with each check.
    assert.ok(
      questions.length <= tookMs / 2000 + 2,
      `${questions.length} questions in ${tookMs} ms`,
    );
    assert.ok(!questions.includes('sacct'), 'there is no accounting');
    cluster().tell('scancel', `--name=${points[0]?.id}`);
    for (const run of runs.all()) assert.deepEqual(await endOf(run), { kind: 'killed' });
  }).timeout(120_000);

  it('is refused whole', async () => {
    const { runs } = controller({ entry: { partition: 'nowhere' } });
    const outcomes = await runs.launchTogether([spec('true'), spec('true')]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.deepEqual(runs.all(), []);
  });
});
