import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { OwnEngines } from '../../src/machines/container/ownEngines.ts';
import { createRemote } from '../../src/machines/createRemote.ts';
import { HomeFolders } from '../../src/machines/homeFolders.ts';
import { MachineHandle } from '../../src/machines/list/machineHandle.ts';
import { createMachines } from '../../src/machines/list/machineList.ts';
import { Runs } from '../../src/runs/runs.ts';
import { writeFileAtomic } from '../../src/storage/atomicFile.ts';
import { until } from '../fakes/scratch.ts';
import { TestSshd } from '../fakes/sshd.ts';
import { begun, endOf, useSlurm } from './slurmRuns.ts';

describe('a Slurm cluster whose login host is reached by SSH', () => {
  const { cluster, spec } = useSlurm();
  let sshd: TestSshd;
  before(async () => {
    sshd = await TestSshd.start();
    // Only a login shell knows where Slurm is.
    const conf = cluster().env['SLURM_CONF'] ?? '';
    writeFileSync(join(sshd.folder, 'home', '.bash_profile'), `echo Welcome\nexport SLURM_CONF=${conf}\n`);
  });
  after(() => sshd.dispose());

  function machineOf(): { machine: MachineHandle; dispose(): void } {
    const folder = sshd.folder;
    const lines = [`HostName 127.0.0.1`, `Port ${sshd.port}`, `UserKnownHostsFile ${sshd.knownHosts}`];
    writeFileSync(join(folder, 'config'), ['Host login', ...lines, `IdentityFile ${join(folder, 'key')}`].join('\n'));
    const write = (path: string, text: string) => writeFileAtomic(path, text, 0o600);
    const remote = createRemote({
      prompts: {
        keptSecret: () => Promise.resolve(undefined),
        askSecret: () => Promise.resolve(undefined),
        confirmHostKey: () => Promise.resolve(false),
      },
      homes: new HomeFolders(join(folder, 'homes.json'), write),
      engines: new OwnEngines({ home: folder, file: join(folder, 'engines.json'), write, logger: silentLogger }),
      clock: systemClock,
      ssh: {
        configFile: join(folder, 'config'),
        homeFolder: folder,
        localUser: userInfo().username,
        agentSocket: undefined,
      },
    })({ id: 'hpc', kind: 'slurm', alias: 'login', partition: 'gpu', runsFolder: '~/scratch/runs' });
    return { machine: new MachineHandle(remote, () => undefined), dispose: () => remote.dispose() };
  }

  it('submits, follows and judges runs with the link cut half way', async () => {
    const { machine, dispose } = machineOf();
    assert.equal(machine.scheduler?.mayRequeue, false, 'known before anything was connected');
    const runs = new Runs({
      machines: createMachines([machine]),
      folder: join(sshd.folder, 'points'),
      clock: systemClock,
    });
    try {
      const text = await machine.describe();
      assert.equal(text, 'Slurm cluster test · partition gpu · 1 node (1 idle) · 2 CPUs · 2 GPUs · through login');
      const command = 'for i in $(seq 50); do echo "step=$i loss=$i"; sleep 0.2; done';
      const [run, other] = (
        await runs.launchTogether([command, 'sleep 300'].map((one) => spec(one, { cwd: sshd.folder })))
      ).map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : assert.fail(String(outcome.reason))));
      assert.ok(run && other);
      assert.equal(run.outputPath, `${join(sshd.folder, 'home')}/scratch/runs/${run.spec.id}/output.log`);
      await begun(run);
      await until('it prints', () => run.metrics.series('loss').values.length > 3, 30_000);
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
