import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../../../src/base/clock.ts';
import { Emitter } from '../../../../src/base/emitter.ts';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import {
  MachineFailure,
  type Machine,
  type MachineStatus,
} from '../../../../src/machines/machine.ts';
import type { GoingRun } from '../../../../src/machines/resources/gpuTimes.ts';
import { MachineResources } from '../../../../src/machines/resources/machineResources.ts';
import { resourceLines, resourceText } from '../../../../src/machines/resources/resourceText.ts';
import { gpuScript } from '../../../../src/machines/resources/sampleScript.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { scratchFolder, until } from '../../../fakes/scratch.ts';
import { isThere } from '../../../setup/needs.ts';

describe('MachineResources', () => {
  let clock: ManualClock;
  let going: GoingRun[];
  const runChanges = new Emitter<void>();
  beforeEach(() => {
    clock = new ManualClock();
    going = [];
  });

  /** Answers as a host without GPUs, as `query` says. */
  const machine = (
    id: string,
    query: () => Promise<string>,
    kind: Machine['kind'] = 'ssh',
  ): Machine => ({ id, kind, runsFolder: '/r', workFolder: '/w', query }) as unknown as Machine;
  const resourcesOf = (machines: Machine[], status: Record<string, MachineStatus['kind']> = {}) =>
    new MachineResources({
      machines: {
        list: () => machines,
        get: () => assert.fail(),
        status: (id) => ({ kind: status[id] ?? 'connected', why: '' }),
      },
      going: () => going,
      onDidChangeRuns: runChanges.event,
      clock,
    });

  it('asks only while somebody looks or runs go on, and only machines that are connected', async () => {
    const asked: string[] = [];
    const counting = (id: string, kind?: Machine['kind']) =>
      machine(
        id,
        () => {
          asked.push(id);
          return Promise.resolve('');
        },
        kind,
      );
    const machines = [counting('a'), counting('b'), counting('down'), counting('cluster', 'slurm')];
    const resources = resourcesOf(machines, { down: 'unreachable' });
    await clock.advance(60_000);
    assert.deepEqual(asked, []);
    const watch = resources.watch();
    await clock.advance(10_000);
    assert.deepEqual(asked, ['a', 'b', 'a', 'b', 'a', 'b']);
    watch.dispose();
    assert.equal(clock.pendingTimers, 0);
    asked.length = 0;
    going = [{ runId: 'r', machineId: 'b', pid: 7 }];
    runChanges.fire();
    // Nobody looks: the runs are watched over, seldom.
    await clock.advance(14_000);
    assert.deepEqual(asked, ['b']);
    await clock.advance(1000);
    assert.deepEqual(asked, ['b', 'b']);
    const refresh = resources.watch('b');
    await clock.advance(5000);
    assert.deepEqual(asked, ['b', 'b', 'b']);
    refresh.dispose();
    asked.length = 2;
    going = [];
    await clock.advance(60_000);
    assert.deepEqual(asked, ['b', 'b']);
    assert.equal(clock.pendingTimers, 0);
    const one = resources.watch('down');
    await clock.advance(1000);
    assert.deepEqual(asked, ['b', 'b', 'down']);
    one.dispose();
    resources.dispose();
  });

  it('is not held up by a machine that hangs, nor asks it twice', async () => {
    let hanging = 0;
    const hangs = machine('a', () => {
      hanging += 1;
      return new Promise(() => undefined);
    });
    const fails = machine('b', () =>
      Promise.reject(new MachineFailure('unreachable', 'b is gone')),
    );
    const heard: string[] = [];
    const resources = resourcesOf([hangs, fails, machine('c', () => Promise.resolve(''))]);
    resources.onDidChange((id) => heard.push(id));
    const failures: string[] = [];
    resources.watch('b', (why) => failures.push(why));
    resources.watch();
    await clock.advance(20_000);
    assert.equal(hanging, 1);
    assert.equal(heard.filter((id) => id === 'c').length, 5);
    assert.equal(resources.latest('a'), undefined);
    assert.deepEqual(new Set(failures), new Set(['b is gone']));
    assert.ok(resources.latest('c'));
    resources.dispose();
    await clock.advance(60_000);
    assert.equal(resources.latest('c'), undefined, 'it is too old to tell of the present');
  });

  const folder = scratchFolder();

  it('samples this computer, with its GPUs, what our runs hold of them, and how long these were idle', async () => {
    const smi = join(folder(), 'nvidia-smi');
    const percent = join(folder(), 'percent');
    writeFileSync(percent, '3');
    writeFileSync(
      smi,
      `#!/bin/sh\ncase $1 in *compute*) echo "GPU-x, ${process.pid}, 512";; *) echo "0, GPU-x, NVIDIA A100, $(cat ${percent}), 1024, 81920, 40, 60.1"; echo "1, GPU-y, NVIDIA A100, 0, 0, 81920, 30, 50";; esac\n`,
    );
    chmodSync(smi, 0o755);
    const local = new LocalMachine({
      runsFolder: join(folder(), 'runs'),
      workFolder: '/',
      // No query is late, however busy the machine is.
      clock,
      env: { ...process.env, PATH: `${folder()}:${process.env.PATH}` },
    });
    going = [
      { runId: 'r-1', machineId: 'local', pid: process.pid },
      { runId: 'r-2', machineId: 'local', pid: 1, gpuIds: ['0', '1'] },
      { runId: 'r-3', machineId: 'local', pid: 1 },
    ];
    const resources = resourcesOf([local]);
    let samples = 0;
    let seen = 0;
    resources.onDidChange(() => (samples += 1));
    const watch = resources.watch();
    // A sample may have come while the clock was moved.
    const next = async (): Promise<void> => {
      await until('a sample came', async () => {
        await clock.advance(0);
        return samples > seen;
      });
      seen = samples;
    };
    await next();
    const first = resources.latest('local');
    assert.equal(first?.gpus?.[0]?.utilisationPercent, 3);
    assert.equal(first.gpus[0].processes?.[0]?.pid, process.pid);
    assert.ok(
      (first.memoryTotalBytes ?? 0) > (first.memoryUsedBytes ?? Infinity) && first.cpuCount,
    );
    // Linux only counts; top of macOS measures.
    assert.equal(first.cpuPercent === undefined, isThere('linux'));
    assert.equal(first.disks?.[0]?.path, join(folder(), 'runs'));
    assert.match(resourceText(first) ?? '', /^2 GPUs \u20072 % · 40 °C · 1\/160 GB$/);
    assert.match(resourceLines(first)[0] ?? '', /^GPU 0 \u20073 % · 40 °C · 1\/80 GB$/);
    await clock.advance(5000);
    await next();
    writeFileSync(percent, '90');
    await clock.advance(5000);
    await next();
    assert.ok((resources.latest('local')?.cpuPercent ?? -1) >= 0);
    assert.deepEqual(resources.gpuTime('r-1'), {
      idleSeconds: 5,
      watchedSeconds: 10,
      memoryBytes: 512 * 2 ** 20,
    });
    assert.deepEqual(resources.gpuTime('r-2'), { idleSeconds: 15, watchedSeconds: 20 });
    assert.equal(resources.gpuTime('r-3'), undefined);
    watch.dispose();
    resources.dispose();
  });

  it('finds the tool of the driver of WSL, which PATH does not name', () => {
    writeFileSync(join(folder(), 'nvidia-smi'), '#!/bin/sh\necho of WSL\n', { mode: 0o755 });
    const script = gpuScript.replace('/usr/lib/wsl/lib', folder());
    const printed = execFileSync('/bin/sh', ['-c', script], {
      env: { PATH: '/none' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    assert.match(String(printed), /^nvidia\nof WSL\n/);
  });

  it('says nothing of GPUs whose driver hangs, and asks it later again', async () => {
    const smi = join(folder(), 'nvidia-smi');
    writeFileSync(smi, '#!/bin/sh\necho x >>"$0.asked"; sleep 60\n');
    chmodSync(smi, 0o755);
    const env = { ...process.env, PATH: `${folder()}:${process.env.PATH}` };
    const local = new LocalMachine({
      runsFolder: '/tmp',
      workFolder: '/',
      clock: systemClock,
      env,
    });
    const resources = resourcesOf([local]);
    const sample = await resources.take(local);
    assert.equal(sample.gpus, undefined);
    assert.ok(sample.memoryTotalBytes);
    await clock.advance(11_000);
    assert.equal((await resources.take(local)).gpus, undefined);
    assert.equal(readFileSync(`${smi}.asked`, 'utf8'), 'x\n', 'the driver was not asked again');
    resources.dispose();
  });
});
