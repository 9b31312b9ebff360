import assert from 'node:assert/strict';
import {
  existsSync,
  lstatSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { MachineFailure, type Machine } from '../../../src/machines/machine.ts';
import type { RunLimit } from '../../../src/runs/run.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { until } from '../../fakes/scratch.ts';
import { apart, ended, isAlive, useRuns } from './harness.ts';

const limit = (ms: number, more: Partial<RunLimit> = {}): { limit: RunLimit } => ({
  limit: { ms, from: 'launch', ...more },
});
const seconds = (since: number): number => (performance.now() - since) / 1000;

describe('the time limit of a run', () => {
  const { folder, controller, spec } = useRuns();
  const inRun = (id: string, name: string): string => join(folder(), 'runs', id, name);
  const read = (id: string, name: string): string =>
    existsSync(inRun(id, name)) ? readFileSync(inRun(id, name), 'utf8') : '';

  it('ends all of the run without anybody, those with a session of their own and those that ignore TERM', async () => {
    const { runs } = controller();
    const family = `trap "" TERM; echo $$; sleep 60 & echo $!; ${apart} sh -c "echo \\$\\$; echo loss=1; sleep 60; sleep 60" & sleep 60`;
    const planned = spec(
      `${family}; sleep 60; sleep 60`,
      limit(500, { graceMs: 300, from: 'first_metric' }),
    );
    await runs.launch(planned);
    await until('its clock has begun', () => existsSync(inRun(planned.id, 'first_metric')));
    runs.dispose();
    await until('exit record', () => existsSync(inRun(planned.id, 'exit')));
    const pids = read(planned.id, 'output.log')
      .split('\n')
      .filter((line) => /^\d+$/.test(line));
    assert.equal(pids.length, 3);
    assert.deepEqual(pids.map(Number).filter(isAlive), []);
    assert.match(read(planned.id, 'exit'), /^killed=0\nlimit=1$/m);
    const adopted = await controller().runs.adopt(planned);
    assert.ok(adopted);
    assert.deepEqual(await ended(adopted), { kind: 'time_limit' });
  });

  it('has an upper bound from the launch, also before any metric', async () => {
    const { runs } = controller();
    const run = await runs.launch(
      spec('sleep 60', limit(60_000, { from: 'first_metric', maxMs: 300 })),
    );
    assert.deepEqual(await ended(run), { kind: 'time_limit' });
  });

  it('is counted and recorded in the folder of the run, wherever its command makes links', async () => {
    const { runs } = controller();
    const names = ['heartbeat', 'exit.tmp', 'kill'];
    const targets = names.map((name) => join(folder(), `outside-${name}`));
    for (const target of targets.slice(0, 2)) writeFileSync(target, 'precious\n'.repeat(20));
    const planned = spec(
      'until [ -e linked ]; do sleep 0.02; done; sleep 60',
      limit(60_000, { from: 'first_metric' }),
    );
    const run = await runs.launch(planned);
    const heartbeat = inRun(planned.id, 'heartbeat');
    await until('heartbeat', () => existsSync(heartbeat));
    for (const [index, name] of names.entries()) {
      // At once: the guard may write the next heartbeat at any time.
      symlinkSync(targets[index] ?? '', join(folder(), name));
      renameSync(join(folder(), name), inRun(planned.id, name));
    }
    writeFileSync(join(folder(), 'linked'), '');
    const contents = (): string[] =>
      targets.map((target) => (existsSync(target) ? readFileSync(target, 'utf8') : ''));
    const before = contents();
    await until(
      'next heartbeat',
      () =>
        lstatSync(heartbeat, { throwIfNoEntry: false })?.isSymbolicLink() === false ||
        contents()[0] === '',
    );
    await runs.kill(run);
    assert.deepEqual(await ended(run), { kind: 'killed' });
    assert.deepEqual(contents(), before);
  });

  it('leaves a run alone that is over in time, and then has nobody left behind', async () => {
    const { runs } = controller();
    const run = await runs.launch(spec('sleep 0.2; exit 3', limit(60_000)));
    assert.deepEqual(await ended(run), { kind: 'failed', code: 3 });
    assert.ok(!existsSync(inRun(run.spec.id, 'limit')));
  });

  for (const by of ['limit', 'person'] as const)
    it(`waits for the last words of a program whose shell is gone, ended by a ${by}`, async () => {
      const { runs } = controller();
      const program = `sh -c "trap 'sleep 1; echo step=2 loss=0.25; exit 0' TERM; echo step=1 loss=0.5; while :; do sleep 0.05; done"`;
      const run = await runs.launch(
        spec(`${program} & wait`, by === 'limit' ? limit(400, { from: 'first_metric' }) : {}),
      );
      await until('first point', () => run.metrics.summary('loss') !== undefined);
      if (by === 'person') await runs.kill(run);
      assert.equal((await ended(run)).kind, by === 'limit' ? 'time_limit' : 'killed');
      assert.deepEqual([...run.metrics.series('loss').steps], [1, 2]);
    });

  it('is not over while the last of it are given their time', async () => {
    const clock = new ManualClock();
    const { runs } = controller(clock);
    const child = 'sh -c "trap \\"\\" TERM; echo loss=1; sleep 60; sleep 60"';
    const run = await runs.launch(
      spec(`${child} & wait`, limit(200, { graceMs: 2500, from: 'first_metric' })),
    );
    await until('its shell is gone', () => !isAlive(run.process?.pid ?? 0));
    await until('exit record', async () => {
      await clock.advance(1000);
      const isRecorded = existsSync(inRun(run.spec.id, 'exit'));
      assert.ok(isRecorded || run.liveness.kind === 'running');
      return isRecorded;
    });
    assert.deepEqual(await ended(run), { kind: 'time_limit' });
  });

  it('does not take the end from a user who was first, nor the other way round', async () => {
    const { runs } = controller();
    const stubborn = (until: string): string =>
      `trap "" TERM; echo on; ${until}; echo loss=1; sleep 60; sleep 60`;
    const first = await runs.launch(
      spec(stubborn('until [ -e go ]; do sleep 0.02; done'), limit(200, { from: 'first_metric' })),
    );
    await until('it ignores the signal', () => read(first.spec.id, 'output.log') === 'on\n');
    const kill = runs.kill(first, { graceMs: 3000 });
    await until('the kill has begun', () => existsSync(inRun(first.spec.id, 'kill')));
    // Its limit is over while it is given its time.
    writeFileSync(join(folder(), 'go'), '');
    const second = await runs.launch(
      spec(stubborn(':'), limit(200, { graceMs: 1500, from: 'first_metric' })),
    );
    await until('the limit has begun', () => existsSync(inRun(second.spec.id, 'limit')));
    await runs.kill(second, { graceMs: 100 });
    await kill;
    assert.deepEqual(await ended(first), { kind: 'killed' });
    assert.deepEqual(await ended(second), { kind: 'time_limit' });
  });

  it('counts from the first metric where that is asked', async () => {
    const { runs } = controller();
    const startMs = performance.now();
    const run = await runs.launch(
      spec(
        'sleep 1.2; echo step=1 loss=1; echo on; sleep 60',
        limit(600, { from: 'first_metric' }),
      ),
    );
    assert.deepEqual(await ended(run), { kind: 'time_limit' });
    assert.ok(seconds(startMs) >= 1.7, `${seconds(startMs)} s`);
    assert.equal(run.metrics.summary('loss')?.count, 1);
  });

  it('counts from the first metric that a later controller reads', async () => {
    const first = controller();
    const planned = spec(
      'sleep 0.3; echo step=1 loss=1; sleep 60',
      limit(600, { from: 'first_metric' }),
    );
    await first.runs.launch(planned);
    first.runs.dispose();
    await until('the metric is there', () => read(planned.id, 'output.log').includes('loss=1'));
    assert.equal(read(planned.id, 'first_metric'), '');
    const adopted = await controller().runs.adopt(planned);
    assert.ok(adopted);
    assert.deepEqual(await ended(adopted), { kind: 'time_limit' });
  });

  it('tells how long ago the first metric came, when the machine could not be told at once', async () => {
    const clock = new ManualClock();
    let isReachable = false;
    const { runs } = controller(clock, (machine) => {
      const write = machine.writeFile.bind(machine);
      return Object.assign(machine, {
        writeFile: (...args: Parameters<Machine['writeFile']>) =>
          isReachable || !args[0].endsWith('/first_metric')
            ? write(...args)
            : Promise.reject(new MachineFailure('unreachable', 'no route')),
      });
    });
    const run = await runs.launch(
      spec('echo step=1 loss=1; sleep 60', limit(60_000, { from: 'first_metric' })),
    );
    await until('first point', () => run.metrics.summary('loss') !== undefined);
    await clock.advance(60_000);
    isReachable = true;
    await until('told', async () => {
      await clock.advance(1000);
      return read(run.spec.id, 'first_metric') !== '';
    });
    const ageMs = Number(/^age_ms=(\d+)$/m.exec(read(run.spec.id, 'first_metric'))?.[1]);
    assert.ok(ageMs >= 60_000 && ageMs <= 75_000, String(ageMs));
  });

  it('is moved neither by a clock that is set nor by sleep of the computer', async () => {
    const uptime = join(folder(), 'uptime');
    const tick = (s: string): void => writeFileSync(uptime, `${s} 0.00\n`);
    tick('1000.00');
    const { runs } = controller(undefined, (machine) => {
      const write = machine.writeFile.bind(machine);
      return Object.assign(machine, {
        writeFile: (path: string, bytes: Uint8Array) =>
          write(
            path,
            Buffer.from(Buffer.from(bytes).toString().replaceAll('/proc/uptime', uptime)),
          ),
      });
    });
    const run = await runs.launch(spec('sleep 60', limit(1500)));
    const beats = inRun(run.spec.id, 'heartbeat');
    const beat = async (): Promise<void> => {
      const { mtimeMs } = statSync(beats);
      await until('a beat', () => statSync(beats).mtimeMs > mtimeMs);
    };
    await until('the first beat', () => existsSync(beats));
    for (const time of ['1000.00', '9000.00', '20.00']) {
      tick(time);
      await beat();
      await beat();
    }
    assert.equal(run.liveness.kind, 'running');
    tick('22.00');
    assert.deepEqual(await ended(run), { kind: 'time_limit' });
  });
});
