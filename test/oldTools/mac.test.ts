/** What scripts read of an emulated Mac; `test/setup/mac/` says what there is to be read. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { systemClock } from '../../src/base/clock.ts';
import { LocalMachine } from '../../src/machines/local/localMachine.ts';
import { MachineProbes } from '../../src/machines/probes/machineProbes.ts';
import { Sampler } from '../../src/machines/resources/sampler.ts';
import { freeSlots } from '../../src/runs/leases.ts';
import { runGit, scriptStart } from '../../src/experiments/git/gitScript.ts';
import { environmentScript, parseEnvironment } from '../../src/tools/runs/environment.ts';
import { findPrograms } from '../../src/tools/runs/environmentPrograms.ts';
import { needs } from '../setup/needs.ts';
import { ended, useRuns } from '../unit/runs/harness.ts';

describe('an emulated Mac', () => {
  const { folder, controller, spec } = useRuns();
  const machine = (env: NodeJS.ProcessEnv = {}): LocalMachine =>
    new LocalMachine({
      runsFolder: join(folder(), 'runs'),
      // Helios looks for no program in the work folder.
      workFolder: '/',
      env: { ...process.env, ...env },
    });

  needs('emulation')('is one to every script', () => {
    assert.equal(execFileSync('uname', ['-s'], { encoding: 'utf8' }), 'Darwin\n');
    assert.deepEqual(readdirSync('/proc'), []);
    assert.throws(
      () => execFileSync('sh', ['-c', 'x=$(v="a) b"; echo ${v##*) })']),
      /syntax error/,
    );
    for (const missing of ['setsid', 'timeout', 'nproc', 'flock', 'sha256sum'])
      assert.throws(() => execFileSync('sh', ['-c', `command -v ${missing}`]), missing);
  });

  needs('emulation')(
    'gives every part of a sample, and no more than the last look of top',
    async () => {
      const sample = await new Sampler(machine(), systemClock).sample();
      assert.deepEqual(sample.gpus, []);
      assert.ok(sample.disks?.[0]?.totalBytes);
      assert.deepEqual(
        [sample.cpuCount, sample.cpuPercent, sample.loadAverage, sample.memoryTotalBytes],
        [8, 37.5, 1.5, 2 ** 34],
      );
      assert.ok((sample.memoryUsedBytes ?? 0) > 2 ** 33);
    },
  );

  it('gives its GPUs, where it has any', async () => {
    const bin = join(folder(), 'bin');
    mkdirSync(bin);
    const smi = `case $1 in *compute*) echo "GPU-x, ${process.pid}, 512";; *) echo "0, GPU-x, A100, 3, 1024, 81920, 40, 60.1";; esac`;
    program(bin, 'nvidia-smi', smi);
    const local = machine({ PATH: `${bin}:${process.env['PATH']}` });
    const { gpus } = await new Sampler(local, systemClock).sample();
    assert.equal(gpus?.[0]?.utilisationPercent, 3);
    assert.equal(gpus[0].processes?.[0]?.pid, process.pid);
  });

  it('tells the start of a process alike at every hour of the clock', async () => {
    const starts: (string | undefined)[] = [];
    for (const TZ of ['Europe/Berlin', 'Pacific/Auckland', 'UTC']) {
      const probes = new MachineProbes(systemClock);
      const found = await probes.once(machine({ TZ }), { kind: 'process', pid: process.pid });
      probes.dispose();
      starts.push(found?.startTime);
    }
    const [first, ...others] = starts;
    assert.match(first ?? '', /^\w{3} \w{3} +\d+ [\d:]{8} \d{4}$/);
    assert.deepEqual(others, [first, first]);
  });

  needs('emulation')(
    'keeps its slots and its runs, whatever it is called and however its clock is set',
    async () => {
      const bin = join(folder(), 'bin');
      mkdirSync(bin);
      const one = controller(undefined, () =>
        Object.assign(machine({ PATH: `${bin}:${process.env['PATH']}` }), { share: { slots: 1 } }),
      );
      const run = await one.runs.launch(spec('sleep 60', { resources: {} }));
      const free = async () => (await freeSlots(one.machine)).slots;
      assert.deepEqual(await free(), { total: 1, free: 0 });
      program(bin, 'uname', 'case $1 in -n) echo other ;; *) exec /usr/bin/uname "$@" ;; esac');
      program(
        bin,
        'sysctl',
        'case $2 in kern.boottime) echo "{ sec = 1, usec = 0 }" ;; *) exec /usr/bin/sysctl "$@" ;; esac',
      );
      assert.deepEqual(await free(), { total: 1, free: 0 });
      await one.runs.kill(run, { graceMs: 300 });
      assert.deepEqual(await ended(run), { kind: 'killed' });
      assert.deepEqual(await free(), { total: 1, free: 1 });
    },
  );

  needs('emulation')('names its processor in the environment of a run', async () => {
    const script = environmentScript({ repo: folder(), mark: 'mark' });
    const { stdout } = await machine().exec(script);
    assert.equal(parseEnvironment(stdout, 'mark').cpu?.split(' · ')[0], 'Apple M2');
  });

  needs('emulation')('opens no dialog where the command line tools are missing', async () => {
    const bin = join(folder(), 'bin');
    mkdirSync(bin);
    const local = machine({ PATH: `${bin}:/usr/bin` });
    const there = await findPrograms(local, folder(), 'python3');
    assert.deepEqual([there.python, there.git], ['/usr/bin/python3', '/usr/bin/git']);
    program(bin, 'xcode-select', 'exit 2');
    const missing = await findPrograms(local, folder(), 'python3');
    assert.deepEqual([missing.python, missing.git], [undefined, undefined]);
    const script = `${scriptStart}enter "$1"`;
    const call = {
      machine: local,
      script,
      args: [folder()],
      clock: systemClock,
      timeoutMs: 20_000,
    };
    await assert.rejects(runGit(call), { reason: 'no_git' });
  });
});

function program(bin: string, name: string, text: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(bin, name), 0o755);
}
