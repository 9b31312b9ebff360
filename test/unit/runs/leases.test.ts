import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import type { MachineShare } from '../../../src/machines/machine.ts';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import { freeSlots } from '../../../src/runs/leases.ts';
import type { Run } from '../../../src/runs/liveRun.ts';
import { LaunchFailure } from '../../../src/runs/launchFailure.ts';
import { until } from '../../fakes/scratch.ts';
import { nvidiaSmi, rocmSmi } from './gpus.ts';
import { ended, parentOf, statField, useRuns, type Controller } from './harness.ts';
import { needs } from '../../setup/needs.ts';
import { parseProcess, runFolder } from '../../../src/runs/supervisor.ts';
import { leaseFunctions } from '../../../src/runs/supervisorScript.ts';

const host = execFileSync('sh', ['-c', `${leaseFunctions}host_folder`], {
  encoding: 'utf8',
}).trim();

describe('leases of GPUs and places', () => {
  const { folder, controller, spec } = useRuns();

  /** A Helios of its own on a machine of which this folder of programs comes first in PATH. */
  function helios(
    bin: string,
    share: MachineShare = {},
    env: Record<string, string> = {},
  ): Controller {
    return controller(undefined, () => {
      const path = `${bin}:${process.env['PATH']}`;
      // What Helios starts for itself is not searched in the work folder.
      const workFolder = join(folder(), 'work');
      mkdirSync(workFolder, { recursive: true });
      const options = { runsFolder: join(folder(), 'runs'), workFolder };
      return Object.assign(
        new LocalMachine({ ...options, env: { ...process.env, PATH: path, ...env } }),
        { share },
      );
    });
  }
  const leases = (): string => join(folder(), 'leases', host);
  const show =
    'echo "gpus=$CUDA_VISIBLE_DEVICES threads=$OMP_NUM_THREADS hip=$HIP_VISIBLE_DEVICES order=$CUDA_DEVICE_ORDER"';
  const stay = `${show}; sleep 60`;
  const gpus = (count: number, more = {}): { resources: { gpus: number } } => ({
    resources: { gpus: count, ...more },
  });

  async function shown({ runs }: Controller, run: Run, name: string): Promise<string> {
    const line = async (): Promise<string> => (await runs.output(run, { lines: 5 })).text;
    await until('it shows', async () => (await line()).includes('gpus='));
    return new RegExp(`${name}=(\\S*)`).exec(await line())?.[1] ?? '';
  }
  const held = async ({ machine }: Controller): Promise<(number | undefined)[]> =>
    (await freeSlots(machine)).gpus.map(({ heldBy }) => heldBy?.number);
  const refused = (attempt: Promise<Run>, message: RegExp, isBusy: boolean): Promise<void> =>
    assert.rejects(attempt, (error) => {
      assert.ok(error instanceof LaunchFailure);
      assert.deepEqual([error.reason, error.isBusy], ['not_started', isBusy]);
      assert.match(error.message, message);
      return true;
    });

  it('give each run a GPU of its own, and say who has them when there is none left', async () => {
    const one = helios(nvidiaSmi(folder(), [0, 1]));
    const first = await one.runs.launch(spec(stay, { number: 3, ...gpus(1) }));
    const second = await one.runs.launch(spec(stay, { number: 4, ...gpus(1) }));
    assert.deepEqual(
      [await shown(one, first, 'gpus'), await shown(one, second, 'gpus')],
      ['0', '1'],
    );
    assert.deepEqual([first.process?.gpuIds, second.process?.gpuIds], [['0'], ['1']]);
    assert.equal(await shown(one, second, 'order'), 'PCI_BUS_ID');
    // A shell that writes each line by itself lets others read a part of the file.
    const file = runFolder(one.machine.runsFolder, second.spec.id).process;
    const lines = readFileSync(file, 'utf8').split(/(?<=\n)/);
    assert.equal(parseProcess(lines.join(''))?.gpuIds?.[0], '1');
    for (const count of lines.keys())
      assert.equal(parseProcess(lines.slice(0, count).join('')), undefined);
    assert.deepEqual(
      (await freeSlots(one.machine)).gpus.map(({ id, heldBy }) => [id, heldBy]),
      [first, second].map(({ spec: { id: runId, sessionId, number } }, at) => [
        String(at),
        { runId, sessionId, number },
      ]),
    );
    const third = spec(`touch started`, gpus(1));
    await refused(
      one.runs.launch(third),
      /free: 0 of 2. In use: GPU 0: run 3, GPU 1: run 4. Wait .*sleep/,
      true,
    );
    const stranger = spec('touch started', {
      ...gpus(2),
      sessionId: 's-other0000' as typeof third.sessionId,
    });
    await refused(one.runs.launch(stranger), /GPU 0: run 3 of session s-test00000/, true);
    assert.ok(!existsSync(join(folder(), 'started')));
    assert.deepEqual(one.runs.all(), [first, second]);
    assert.equal(await helios(nvidiaSmi(folder(), [0, 1])).runs.adopt(third), undefined);
    await one.runs.kill(first);
    assert.deepEqual(await held(one), [undefined, 4]);
    assert.deepEqual(await ended(await one.runs.launch(third)), { kind: 'ok' });
    const fourth = await one.runs.launch(spec(show, gpus(1)));
    assert.equal(await shown(one, fourth, 'gpus'), '0');
  });

  it('are told apart by everybody who uses the machine, at the same moment', async () => {
    const bin = nvidiaSmi(folder(), [0, 1, 2, 3]);
    const all = [helios(bin), helios(bin), helios(bin)];
    const attempts = all.flatMap((one) =>
      [1, 1, 2].map((count) => ({ one, spec: spec(stay, gpus(count)) })),
    );
    const settled = await Promise.allSettled(
      attempts.map(async ({ one, spec: planned }) =>
        (await shown(one, await one.runs.launch(planned), 'gpus')).split(','),
      ),
    );
    const given = settled.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    assert.equal(new Set(given).size, given.length, `given: ${given.join()}`);
    assert.ok(given.length >= 3, 'whoever is last may be too large for the rest');
    for (const result of settled)
      if (result.status === 'rejected') assert.match(String(result.reason), /free: [01] of 4/);
  });

  it('end with their run, and not with its supervisor alone', async () => {
    const one = helios(nvidiaSmi(folder(), [0]));
    const run = await one.runs.launch(spec(`sleep 60 & ${stay}`, gpus(1)));
    await shown(one, run, 'gpus');
    process.kill(parentOf(run.process?.pid ?? 0), 'SIGKILL');
    assert.deepEqual(await held(one), [run.spec.number], 'the command is there');
    process.kill(run.process?.pid ?? 0, 'SIGKILL');
    assert.deepEqual(await held(one), [run.spec.number], 'a child is there');
    await one.runs.kill(run, { signal: 'KILL', graceMs: 0 });
    assert.deepEqual(await held(one), [undefined]);
  });

  needs('linux')('end with a power cut, although others have the pids now', async () => {
    const one = helios(nvidiaSmi(folder(), [0]));
    const owner = join(folder(), 'runs', 'r-owner');
    mkdirSync(owner, { recursive: true });
    mkdirSync(leases(), { recursive: true });
    writeFileSync(
      join(leases(), 'gpu-0'),
      `folder=${owner}\nrun=r-owner\nnumber=1\nsession=s-other\n`,
    );
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const startTime = statField(process.pid, 19);
    for (const [boot, number] of [
      [bootId, 1],
      ['before', undefined],
    ] as const) {
      const us = `pid=${process.pid}\nstart_time=${startTime}\nboot_id=${boot}\nstarted_ms=1\n`;
      for (const name of ['capsule', 'process']) writeFileSync(join(owner, name), us);
      assert.deepEqual(await held(one), [number], boot);
    }
  });

  it('are taken over from a lock whose holder died, however many want it', async () => {
    const one = helios(nvidiaSmi(folder(), [0, 1, 2]));
    const dead = join(folder(), 'runs', 'r-dead');
    mkdirSync(dead, { recursive: true });
    mkdirSync(leases(), { recursive: true });
    writeFileSync(join(dead, 'capsule'), 'pid=1\nstart_time=0\nboot_id=another\nstarted_ms=1\n');
    for (const name of ['lock.7', 'gpu-0', 'slot-1'])
      writeFileSync(join(leases(), name), `folder=${dead}\nnumber=1\n`);
    const launched = await Promise.all([1, 2, 3].map(() => one.runs.launch(spec(stay, gpus(1)))));
    const given = await Promise.all(launched.map((run) => shown(one, run, 'gpus')));
    assert.deepEqual(given.sort(), ['0', '1', '2']);
    assert.deepEqual(
      readdirSync(leases()).filter((name) => name.startsWith('lock')),
      ['lock.10'],
    );
  });

  it('keep to the GPUs that the entry names, by index or UUID, and to those that we were given ourselves', async () => {
    const bin = nvidiaSmi(folder(), [0, 1, 2, 3]);
    const byEntry = helios(bin, { gpuIds: ['3', 'GPU-00000001-aaaa', '9'] });
    const run = await byEntry.runs.launch(spec(show, gpus(2)));
    assert.equal(await shown(byEntry, run, 'gpus'), '3,1');
    await refused(
      byEntry.runs.launch(spec(show, gpus(3))),
      /runs may use 2 on this machine/,
      false,
    );
    const byUs = helios(bin, {}, { CUDA_VISIBLE_DEVICES: '2' });
    assert.deepEqual((await freeSlots(byUs.machine)).gpus, [{ id: '2' }]);
  });

  it('hide every GPU from a run that asks for none, and fail clearly where there is none', async () => {
    const one = helios(nvidiaSmi(folder(), []));
    assert.equal(await shown(one, await one.runs.launch(spec(show, gpus(0))), 'gpus'), '-1');
    assert.equal(
      await shown(one, await one.runs.launch(spec(show)), 'gpus'),
      '',
      'who says nothing sees all',
    );
    await refused(
      one.runs.launch(spec(show, gpus(1))),
      /This machine has no GPU that runs may use/,
      false,
    );
    assert.deepEqual(await freeSlots(one.machine), { gpus: [] });
  });

  it('are the same with rocm-smi', async () => {
    const bin = rocmSmi(folder(), [0, 1]);
    const one = helios(bin);
    const [first, second] = [
      await one.runs.launch(spec(stay, gpus(1))),
      await one.runs.launch(spec(stay, gpus(1))),
    ];
    assert.deepEqual([await shown(one, first, 'hip'), await shown(one, second, 'hip')], ['0', '1']);
  });

  it('bound the runs at a time where the entry has slots, and share the threads', async () => {
    const one = helios(nvidiaSmi(folder(), [0]), { slots: 2 });
    const first = await one.runs.launch(spec(stay, { number: 1 }));
    await one.runs.launch(spec(stay, { number: 2, ...gpus(1) }));
    assert.deepEqual((await freeSlots(one.machine)).slots, { total: 2, free: 0 });
    await refused(
      one.runs.launch(spec(show)),
      /All 2 slots for runs are in use: run 1, run 2/,
      true,
    );
    assert.ok(Number(await shown(one, first, 'threads')) >= 1);
    await one.runs.kill(first);
    assert.deepEqual((await freeSlots(one.machine)).slots, { total: 2, free: 1 });
    const own = await one.runs.launch(spec(show, { env: { OMP_NUM_THREADS: '7' } }));
    assert.equal(await shown(one, own, 'threads'), '7');
    await ended(own);
    const asked = await one.runs.launch(spec(show, { resources: { cpus: 5 } }));
    assert.equal(await shown(one, asked, 'threads'), '5');
  });

  it('are the business of a scheduler where there is one', async () => {
    const one = helios(nvidiaSmi(folder(), [0]), { slots: 1 });
    Object.assign(one.machine, { scheduler: {} });
    assert.deepEqual(await freeSlots(one.machine), { gpus: [] });
  });

  it('are not taken by a run whose folder is gone', async () => {
    const one = helios(nvidiaSmi(folder(), [0]));
    const run = await one.runs.launch(spec(show, gpus(1)));
    await ended(run);
    rmSync(join(folder(), 'runs', run.spec.id), { recursive: true });
    assert.deepEqual(await held(one), [undefined]);
  });
});
