import assert from 'node:assert/strict';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { systemClock } from '../../src/base/clock.ts';
import { ContainerConnector } from '../../src/machines/container/containerMachine.ts';
import { LazyMachine } from '../../src/machines/lazyMachine.ts';
import { remoteSetup } from '../../src/machines/environment/machineSetup.ts';
import type { ContainerEntry } from '../../src/machines/machineEntry.ts';
import { TestDockerd } from '../fakes/dockerd.ts';
import { scratchFolder } from '../fakes/scratch.ts';
import { setupContract } from '../unit/machines/environment/setupContract.ts';
import { endOf, useSlurm } from './slurmRuns.ts';

describe('containers', () => {
  const folder = scratchFolder();
  let dockerd: TestDockerd;
  before(async () => {
    dockerd = await TestDockerd.start();
  });
  after(() => dockerd?.dispose());

  setupContract('container', () => {
    const home = join(folder(), 'root');
    mkdirSync(home, { recursive: true });
    return {
      open: (fields) => {
        const entry: ContainerEntry = {
          ...{ id: 'lab', kind: 'container', image: 'lab/busybox', engine: dockerd.socket },
          mounts: [{ source: home, target: '/home/ada' }],
          ...fields,
          env: { HOME: '/home/ada', ...fields.env },
        };
        const engines = dockerd.engines(folder());
        const connector = new ContainerConnector(entry, { engines, clock: systemClock });
        const setup = remoteSetup(entry, process.env);
        const { id, kind } = entry;
        return new LazyMachine({ id, kind, connector, setup, clock: systemClock });
      },
      writeHome: (path, text) => write(home, path, text, '/home/ada'),
      passed: [],
    };
  });
});

describe('clusters', () => {
  const { cluster, controller, spec } = useSlurm();
  const home = (): string => join(cluster().folder, 'home');

  setupContract('Slurm', () => ({
    open: (fields) => controller({ entry: fields, env: { HOME: home() } }).machine,
    writeHome: (path, text) => write(home(), path, text),
    passed: [],
  }));

  it('keeps variables of this computer from jobs, whatever sbatch is told', async () => {
    const { runs } = controller({
      entry: { env: { FROM: 'entry' } },
      env: { SBATCH_EXPORT: 'NONE', HF_TOKEN: 'hf-value', OPENAI_API_KEY: 'model-value' },
    });
    const run = await runs.launch(spec('echo "$FROM|$OWN"; env', { env: { OWN: 'run' } }));
    assert.deepEqual(await endOf(run), { kind: 'ok' });
    const { text } = await runs.output(run, { lines: 400 });
    assert.match(text, /^entry\|run$/m);
    assert.doesNotMatch(text, /hf-value|model-value/);
  });

  it('gives a job the umask of the user, and its own files to the user alone', async () => {
    const { runs, machine } = controller();
    const out = join(cluster().folder, 'home', 'out.txt');
    const run = await runs.launch(spec(`umask; echo x > '${out}'`));
    assert.deepEqual(await endOf(run), { kind: 'ok' });
    const usual = (await machine.exec('umask')).stdout.trim();
    assert.equal((await runs.output(run, { lines: 1 })).text.trim(), usual);
    assert.equal(statSync(out).mode & 0o777, 0o666 & ~parseInt(usual, 8));
    const folder = dirname(run.outputPath);
    assert.equal(statSync(folder).mode & 0o077, 0);
    for (const name of ['batch.sh', 'output.log', 'spec.json', 'job', 'exit'])
      assert.equal(statSync(join(folder, name)).mode & 0o077, 0, name);
  });
});

function write(home: string, path: string, text: string, seenAs = home): Promise<void> {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text.replaceAll('HOME/', `${seenAs}/`));
  return Promise.resolve();
}
