import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import {
  MachineFailure,
  type Machine,
  type MachineFailureReason,
} from '../../../src/machines/machine.ts';
import type { Run } from '../../../src/runs/liveRun.ts';
import type { RunSpec } from '../../../src/runs/run.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { until } from '../../fakes/scratch.ts';
import { ended, isAlive, parentOf, statField, useRuns } from './harness.ts';
import { needs } from '../../setup/needs.ts';

const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

const gone = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
};

describe('adopting runs', () => {
  const { folder, controller, spec } = useRuns();
  const runsFolder = (): string => join(folder(), 'runs');
  const inRun = (run: RunSpec, name: string): string => join(runsFolder(), run.id, name);

  let launchers: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of launchers) child.kill('SIGKILL');
    await Promise.all(launchers.map(gone));
    launchers = [];
  });

  /** A process that has launched the run: the process, and the handle that it printed. */
  async function launchElsewhere(run: RunSpec): Promise<{ child: ChildProcess; handle: string }> {
    const argv = [join(import.meta.dirname, 'launcher.ts'), JSON.stringify(run), runsFolder()];
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
    launchers.push(child);
    const printed = once(child.stdout, 'data').then(String);
    const died = once(child, 'exit').then(() =>
      Promise.reject(new Error('The launcher ended without launching')),
    );
    return { child, handle: await Promise.race([printed, died]) };
  }

  /** What an earlier controller and a supervisor would have left, with this process file. */
  function forged(processFile: string): RunSpec {
    const run = spec('sleep 60');
    mkdirSync(inRun(run, 'claim'), { recursive: true });
    writeFileSync(inRun(run, 'process'), processFile);
    writeFileSync(inRun(run, 'output.log'), 'step=1 loss=0.5\n');
    return run;
  }

  const settle = async (clock: ManualClock, run: Run): Promise<void> =>
    until('the run ends', async () => {
      await clock.advance(1000);
      return run.liveness.kind === 'ended';
    });

  it('goes on after the process that launched it was killed, with every point once', async () => {
    const run = spec('for i in $(seq 1 40); do echo "step=$i loss=0.$i"; sleep 0.03; done; exit 7');
    const { child } = await launchElsewhere(run);
    await until('some points are there', () =>
      readFileSync(inRun(run, 'output.log'), 'utf8').includes('step=8 '),
    );
    child.kill('SIGKILL');
    await gone(child);
    const { runs, changes } = controller();
    const adopted = await runs.adopt(run);
    assert.ok(adopted);
    assert.equal(await runs.adopt(run), adopted, 'adopting again gives the same run');
    assert.deepEqual(await ended(adopted), { kind: 'failed', code: 7 });
    assert.deepEqual(
      [...adopted.metrics.series('loss').steps],
      Array.from({ length: 40 }, (_, index) => index + 1),
    );
    assert.deepEqual(
      changes.filter(({ kind }) => kind === 'started' || kind === 'ended').map(({ kind }) => kind),
      ['started', 'ended'],
    );
  });

  it('finds a run that ended while nobody looked, complete when adopted', async () => {
    const first = controller();
    const run = await first.runs.launch(spec('sleep 0.2; printf "step=1 loss=0.5"; exit 2'));
    first.runs.dispose();
    await until(
      'exit record',
      () =>
        readFileSync(inRun(run.spec, 'output.log'), 'utf8') !== '' &&
        !isAlive(parentOf(run.process?.pid ?? 0)),
    );
    for (const time of ['first', 'second']) {
      const { runs } = controller();
      const adopted = await runs.adopt(run.spec);
      assert.ok(adopted);
      assert.deepEqual(await ended(adopted), { kind: 'failed', code: 2 }, time);
      assert.equal(adopted.metrics.summary('loss')?.count, 1, time);
      assert.match((await runs.output(adopted, { lines: 5 })).text, /loss=0.5/);
    }
  });

  it('is undefined for a run that was never started, which can then be launched', async () => {
    const { runs } = controller();
    const planned = spec('exit 0');
    assert.equal(await runs.adopt(planned), undefined);
    assert.deepEqual(await ended(await runs.launch(planned)), { kind: 'ok' });
  });

  it('starts a run once, however many processes launch it', async () => {
    const run = spec('echo once >> started; sleep 0.5');
    const launched = await Promise.all([
      launchElsewhere(run),
      launchElsewhere(run),
      launchElsewhere(run),
    ]);
    assert.equal(new Set(launched.map(({ handle }) => handle)).size, 1);
    for (const { child } of launched) child.kill('SIGKILL');
    await Promise.all(launched.map(({ child }) => gone(child)));
    const { runs } = controller();
    const again = await Promise.all([runs.launch(run), runs.launch(run)]);
    assert.deepEqual(await Promise.all(again.map(ended)), [{ kind: 'ok' }, { kind: 'ok' }]);
    assert.equal(readFileSync(join(folder(), 'started'), 'utf8'), 'once\n');
  });

  needs('linux')('does not mistake another process with its pid for the run', async () => {
    const clock = new ManualClock();
    const { runs } = controller(clock);
    const startTime = Number(statField(process.pid, 19));
    const run = forged(
      `pid=${process.pid}\nstart_time=${startTime - 1}\nboot_id=${bootId()}\nstarted_ms=1\n`,
    );
    const adopted = await runs.adopt(run);
    assert.ok(adopted);
    assert.equal(adopted.liveness.kind, 'running', 'its exit record may still come');
    await settle(clock, adopted);
    assert.equal((await ended(adopted)).kind, 'lost');
    assert.equal(adopted.metrics.summary('loss')?.last, 0.5);
  });

  needs('linux')('never signals another process with its pid', async () => {
    const bystander = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
    try {
      const start = Number(statField(bystander.pid ?? 0, 19));
      const run = forged(
        `pid=${bystander.pid}\nstart_time=${start - 1}\nboot_id=${bootId()}\nstarted_ms=1\n`,
      );
      const { runs } = controller();
      const other = await runs.launch(spec('true'));
      await ended(other);
      writeFileSync(inRun(run, 'capsule.sh'), readFileSync(inRun(other.spec, 'capsule.sh')));
      const adopted = await runs.adopt(run);
      assert.ok(adopted);
      const { machine } = controller();
      const { stdout } = await machine.exec(`sh ${inRun(run, 'capsule.sh')} end TERM 1`);
      assert.match(stdout, /^signalled=$/m);
      assert.ok(isAlive(bystander.pid ?? 0));
    } finally {
      bystander.kill('SIGKILL');
    }
  });

  needs('linux')('is lost at once when the machine was restarted', async () => {
    const run = forged(
      `pid=${process.pid}\nstart_time=${statField(process.pid, 19)}\nboot_id=another\nstarted_ms=1\n`,
    );
    const adopted = await controller(new ManualClock()).runs.adopt(run);
    assert.ok(adopted);
    assert.deepEqual(await ended(adopted), { kind: 'lost', why: 'its machine was restarted' });
  });

  needs('linux')(
    'ends as its record says that came while its machine was asked for its process',
    async () => {
      const run = forged(`pid=1\nstart_time=1\nboot_id=another\nstarted_ms=1\n`);
      const lateRecord = (machine: Machine): Machine => {
        const readFile = machine.readFile.bind(machine);
        return Object.assign(machine, {
          readFile: (...args: Parameters<Machine['readFile']>) => {
            if (args[0].endsWith('/boot_id'))
              writeFileSync(inRun(run, 'exit'), 'code=3\nended_ms=5\nstarted=1\n');
            return readFile(...args);
          },
        });
      };
      const adopted = await controller(new ManualClock(), lateRecord).runs.adopt(run);
      assert.deepEqual(adopted?.liveness, {
        kind: 'ended',
        verdict: { kind: 'failed', code: 3 },
        endedMs: 5,
      });
    },
  );

  it('is lost when process and supervisor are gone without a record', async () => {
    const clock = new ManualClock();
    const { runs, changes } = controller(clock);
    const run = await runs.launch(spec('echo step=1 loss=0.5; exec sleep 60'));
    const pid = run.process?.pid ?? 0;
    process.kill(parentOf(pid), 'SIGKILL');
    await clock.advance(20_000);
    assert.equal(run.liveness.kind, 'running', 'without its supervisor it still runs');
    process.kill(pid, 'SIGKILL');
    await settle(clock, run);
    assert.deepEqual(await ended(run), {
      kind: 'lost',
      why: 'its process is gone and left no exit record',
    });
    assert.equal(changes.filter(({ kind }) => kind === 'ended').length, 1);
  });

  it('is killed, not lost, when the end was asked for and nobody could write the record', async () => {
    const clock = new ManualClock();
    const { runs } = controller(clock);
    const run = await runs.launch(spec('exec sleep 60'));
    process.kill(parentOf(run.process?.pid ?? 0), 'SIGKILL');
    const kill = runs.kill(run);
    await settle(clock, run);
    assert.ok((await kill).isVerified);
    assert.deepEqual(await ended(run), { kind: 'killed' });
  });

  it('is lost when it was claimed and nothing came of it', async () => {
    const clock = new ManualClock();
    const run = spec('true');
    mkdirSync(inRun(run, 'claim'), { recursive: true });
    const adopted = await controller(clock).runs.adopt(run);
    assert.equal(adopted?.liveness.kind, 'starting');
    await settle(clock, adopted);
    assert.deepEqual(await ended(adopted), { kind: 'lost', why: 'its command was never started' });
  });

  const answers: Readonly<Record<MachineFailureReason, 'unknown' | 'rejected'>> = {
    unreachable: 'unknown',
    timeout: 'unknown',
    auth: 'unknown',
    host_key: 'unknown',
    unknown_machine: 'unknown',
    missing: 'rejected',
    denied: 'rejected',
    no_space: 'rejected',
    io: 'rejected',
  };
  for (const [reason, expected] of Object.entries(answers))
    for (const asked of ['ready', 'stat'] as const)
      it(`is ${expected} where its machine is asked (${asked}) and the answer is ${reason}`, async () => {
        const failure = new MachineFailure(reason as MachineFailureReason, 'as it is');
        const failing = (machine: Machine): Machine =>
          Object.assign(machine, {
            [asked]: () => Promise.reject(failure),
            readFile: () => Promise.reject(failure),
          });
        const adopting = controller(new ManualClock(), failing).runs.adopt(spec('true'));
        if (expected === 'rejected') await assert.rejects(adopting, failure);
        else assert.deepEqual((await adopting)?.liveness.kind, 'unknown');
      });

  it('is unknown where its machine is not in the list any more', async () => {
    const { runs } = controller(new ManualClock());
    const adopted = await runs.adopt(spec('true', { machineId: 'gone' }));
    assert.equal(adopted?.liveness.kind, 'unknown');
    await assert.rejects(runs.kill(adopted), {
      reason: 'unknown_machine',
      message: /Machine gone is not in the list/,
    });
  });

  it('is adopted once what kept its points from being read is mended', async () => {
    const run = forged(`pid=1\nstart_time=1\nboot_id=another\nstarted_ms=1\n`);
    mkdirSync(inRun(run, 'points.bin'));
    const { runs } = controller(new ManualClock());
    await assert.rejects(runs.adopt(run), /Cannot read or write/);
    rmSync(inRun(run, 'points.bin'), { recursive: true });
    assert.equal((await runs.adopt(run))?.metrics.summary('loss')?.last, 0.5);
  });

  it('is unknown, never over, while its machine does not answer', async () => {
    const clock = new ManualClock();
    let isReachable = true;
    const flaky = (machine: Machine): Machine => {
      const readFile = machine.readFile.bind(machine);
      return Object.assign(machine, {
        readFile: (...args: Parameters<Machine['readFile']>) =>
          isReachable
            ? readFile(...args)
            : Promise.reject(new MachineFailure('unreachable', 'no route')),
      });
    };
    const { runs, changes } = controller(clock, flaky);
    const run = await runs.launch(spec('sleep 60'));
    isReachable = false;
    await until('doubt', async () => {
      await clock.advance(5000);
      return run.liveness.kind === 'unknown';
    });
    await clock.advance(60_000);
    assert.deepEqual(run.liveness, { kind: 'unknown', why: 'no route' });
    isReachable = true;
    await until('trust', async () => {
      await clock.advance(5000);
      return run.liveness.kind === 'running';
    });
    assert.deepEqual(
      changes.map(({ kind }) => kind),
      ['started', 'unknown', 'recovered'],
    );
  });
});
