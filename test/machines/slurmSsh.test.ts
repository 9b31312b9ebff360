import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { systemClock } from '../../src/base/clock.ts';
import { MachineHandle } from '../../src/machines/list/machineHandle.ts';
import { createMachines } from '../../src/machines/list/machineList.ts';
import type { MachineEntry } from '../../src/machines/machineEntry.ts';
import { Runs } from '../../src/runs/runs.ts';
import { LoginHost } from '../fakes/loginHost.ts';
import { until } from '../fakes/scratch.ts';
import { begun, endOf, slurmSpec } from './slurmRuns.ts';

describe('a Slurm cluster whose login host is reached by SSH', () => {
  let host: LoginHost;
  before(async () => {
    host = await LoginHost.start('slurm');
  });
  after(() => host?.dispose());

  function machineOf(): { machine: MachineHandle; dispose(): void } {
    const entry: MachineEntry = {
      id: 'hpc',
      kind: 'slurm',
      alias: 'login',
      partition: 'gpu',
      runsFolder: '~/scratch/runs',
    };
    const remote = host.createMachine(entry);
    return { machine: new MachineHandle(remote, () => undefined), dispose: () => remote.dispose() };
  }

  it('submits, follows and judges runs with the link cut half way', async () => {
    const { machine, dispose } = machineOf();
    const { sshd } = host;
    assert.equal(machine.scheduler?.mayRequeue, false, 'known before anything was connected');
    const runs = new Runs({
      machines: createMachines([machine]),
      folder: join(sshd.folder, 'points'),
      clock: systemClock,
    });
    try {
      const text = await machine.describe();
      assert.equal(
        text,
        'Slurm cluster test · partition gpu · 1 node (1 idle) · 2 CPUs · 2 GPUs · through login',
      );
      const command = 'for i in $(seq 50); do echo "step=$i loss=$i"; sleep 0.2; done';
      const [run, other] = (
        await runs.launchTogether(
          [command, 'sleep 300'].map((one) => slurmSpec(host.slurm, one, { cwd: sshd.folder })),
        )
      ).map((outcome) =>
        outcome.status === 'fulfilled' ? outcome.value : assert.fail(String(outcome.reason)),
      );
      assert.ok(run && other);
      assert.equal(run.outputPath, `${host.home}/scratch/runs/${run.spec.id}/output.log`);
      await begun(run);
      await until('it prints', () => run.metrics.series('loss').values.length > 3);
      await sshd.stop();
      await until('it is noticed', () => run.liveness.kind === 'unknown', 60_000);
      await sshd.start();
      assert.deepEqual(await endOf(run), { kind: 'ok' });
      assert.deepEqual(
        [...run.metrics.series('loss').values],
        [...Array(50).keys()].map((index) => index + 1),
      );
      assert.equal((await runs.kill(other, { graceMs: 1000 })).isVerified, true);
      assert.deepEqual(await endOf(other), { kind: 'killed' });
    } finally {
      runs.dispose();
      dispose();
    }
  }).timeout(180_000);
});
