import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { after, afterEach, before, describe, it } from 'mocha';
import { silentLogger } from '../../src/base/logger.ts';
import { systemClock } from '../../src/base/clock.ts';
import { newRunId, type SessionId } from '../../src/base/ids.ts';
import {
  ContainerConnector,
  type ContainerMachine,
} from '../../src/machines/container/containerMachine.ts';
import { tidyContainers } from '../../src/machines/container/tidyContainers.ts';
import { LazyMachine } from '../../src/machines/lazyMachine.ts';
import { LocalMachine } from '../../src/machines/local/localMachine.ts';
import type { ContainerEntry } from '../../src/machines/machineEntry.ts';
import { createMachines } from '../../src/machines/list/machineList.ts';
import { MachineFile } from '../../src/machines/list/machineFile.ts';
import { MachineRegistry } from '../../src/machines/list/machineRegistry.ts';
import type { Run } from '../../src/runs/liveRun.ts';
import type { RunSpec, Verdict } from '../../src/runs/run.ts';
import { Runs } from '../../src/runs/runs.ts';
import { writeFileAtomic } from '../../src/storage/atomicFile.ts';
import { TestDockerd } from '../fakes/dockerd.ts';
import { restoreEnvironment } from '../fakes/environment.ts';
import { scratchFolder, until } from '../fakes/scratch.ts';

describe('a container machine', () => {
  const folder = scratchFolder();
  const path = (name: string): string => join(folder(), name);
  const owned: { dispose(): void }[] = [];
  let dockerd: TestDockerd;
  let number = 0;
  before(async () => {
    dockerd = await TestDockerd.start();
  });
  after(() => dockerd?.dispose());
  afterEach(async () => {
    for (const one of owned.splice(0).reverse()) one.dispose();
    for (const id of await containers()) await dockerd.docker('rm', '-f', id);
  });

  const lines = async (...args: readonly string[]): Promise<string[]> =>
    (await dockerd.docker(...args)).split('\n').filter(Boolean);
  const containers = (): Promise<string[]> => lines('ps', '-aq', '--no-trunc');
  const engines = () => dockerd.engines(folder());
  const entry = (more: Partial<ContainerEntry> = {}): ContainerEntry => ({
    id: 'lab',
    kind: 'container',
    ...(more.dockerfile === undefined && { image: 'lab/busybox' }),
    engine: dockerd.socket,
    ...more,
  });
  async function open(more: Partial<ContainerEntry> = {}): Promise<ContainerMachine> {
    const way = new ContainerConnector(entry(more), { engines: engines(), clock: systemClock });
    owned.push(way);
    return way.open();
  }
  const output = async (machine: ContainerMachine, command: string): Promise<string> => {
    const { stdout, stderr } = await machine.exec(command, { cwd: '/' });
    return `${stdout}${stderr}`.trim();
  };

  function runsOn(machine: ContainerMachine, home = 'home'): Runs {
    mkdirSync(path(home), { recursive: true });
    const runs = new Runs({
      machines: createMachines([machine]),
      folder: path(home),
      clock: systemClock,
    });
    owned.push(runs);
    return runs;
  }
  const spec = (command: string): RunSpec => ({
    id: newRunId(Date.now()),
    sessionId: 's-test00000' as SessionId,
    number: ++number,
    machineId: 'lab',
    command,
    cwd: '/',
    env: { SECRET: 'only-for-the-run' },
    metrics: { names: ['loss'] },
    label: '',
    plannedMs: Date.now() + number,
  });
  const steps = (last: number): string =>
    `for i in $(seq 1 ${last}); do echo "step=$i loss=0.$i"; sleep 0.02; done`;
  const seen = (run: Run): number => run.metrics.summary('loss')?.count ?? 0;
  async function verdictOf(run: Run): Promise<Verdict> {
    await until('the run ends', () => run.liveness.kind === 'ended', 60_000);
    return run.liveness.kind === 'ended' ? run.liveness.verdict : assert.fail();
  }

  it('has what it was given and nothing else', async () => {
    for (const name of ['data', 'work']) mkdirSync(path(name));
    writeFileSync(path('data/set'), 'of the user');
    writeFileSync(path('secret'), 'not for it');
    const mounts = [
      { source: path('work'), target: '/project' },
      { source: path('data'), target: '/data', isReadOnly: true },
    ];
    const machine = await open({ mounts, memoryMb: 64, cpus: 0.5 });
    assert.equal(machine.workFolder, '/project');
    assert.equal(await machine.describe(), 'lab/busybox · no network · 0.5 CPUs · 64 MB');
    await machine.writeFile('/project/made', Buffer.from('yes'));
    assert.equal(readFileSync(path('work/made'), 'utf8'), 'yes');
    await assert.rejects(machine.writeFile('/data/set', Buffer.from('no')), { reason: 'denied' });
    assert.match(await output(machine, 'echo x > /data/set'), /Read-only file system/);
    assert.equal(readFileSync(path('data/set'), 'utf8'), 'of the user');
    assert.equal(await machine.stat(path('secret')), undefined);
    assert.equal(await output(machine, 'ls /sys/class/net'), 'lo');
    assert.equal(
      await output(machine, `grep -c [h]elios-docker /proc/[0-9]*/cmdline | grep -vc :0`),
      '0',
    );
    assert.match(
      await output(machine, 'mount -t tmpfs none /mnt 2>&1 || mount -o remount,rw /data'),
      /denied|permitted/,
    );
    assert.match(await output(machine, 'chroot / true; mknod /tmp/sda b 8 0'), /not permitted/);
    const [bounding] =
      /(?<=CapBnd:\s)\w+/.exec(await output(machine, 'cat /proc/self/status')) ?? [];
    assert.equal(
      bounding,
      '00000000000000fb',
      'CHOWN DAC_OVERRIDE FOWNER FSETID KILL SETGID SETUID',
    );
    assert.match(await output(machine, 'cat /proc/self/status'), /NoNewPrivs:\s1/);
    assert.equal(
      await output(machine, 'cat /sys/fs/cgroup/pids/pids.max || cat /sys/fs/cgroup/pids.max'),
      '4096',
    );
  });

  it('runs as the user that is named, with no capability, and its runs can write', async () => {
    const machine = await open({ user: '1234:1234' });
    assert.match(
      await output(machine, 'id -u; grep CapBnd /proc/self/status'),
      /^1234\nCapBnd:\s0+$/,
    );
    const run = await runsOn(machine).launch(spec(`${steps(3)}; exit 3`));
    assert.deepEqual(await verdictOf(run), { kind: 'failed', code: 3 });
  });

  it('keeps variables of a command out of every list of processes', async () => {
    const machine = await open();
    const { stdout } = await machine.exec(
      'cat /proc/[0-9]*/cmdline | tr "\\0" " "; printf %s "$TOKEN"',
      {
        env: { TOKEN: 'pass-1' },
      },
    );
    assert.equal(stdout.split('pass-1').length, 2);
    const [id = ''] = await containers();
    assert.doesNotMatch(await dockerd.docker('inspect', id), /pass-1/);
  });

  it('says what is wrong with a mount, an image and an engine', async () => {
    const missing = path('nowhere');
    await assert.rejects(open({ mounts: [{ source: missing, target: '/x' }] }), {
      reason: 'unreachable',
      message: /Create it/,
    });
    await assert.rejects(open({ image: 'lab/none:1' }), {
      reason: 'unreachable',
      message: /docker pull lab\/none:1/,
    });
    await assert.rejects(open({ engine: path('none.sock') }), {
      reason: 'unreachable',
      message: /answers at .*none\.sock; start Docker or Podman, or set `engine`/,
    });
    assert.deepEqual(await containers(), []);
  });

  it('uses the engine of the Docker context', async () => {
    const before = { ...process.env };
    const env = { ...before, DOCKER_CONFIG: path('docker') };
    const host = `host=unix://${dockerd.socket}`;
    await promisify(execFile)('docker', ['context', 'create', 'lab', '--docker', host], { env });
    Object.assign(process.env, { DOCKER_CONFIG: path('docker'), DOCKER_CONTEXT: 'lab' });
    delete process.env['DOCKER_HOST'];
    try {
      const way = new ContainerConnector(
        { id: 'lab', kind: 'container', image: 'lab/busybox' },
        { engines: engines(), clock: systemClock },
      );
      owned.push(way);
      assert.equal(await output(await way.open(), 'echo here'), 'here');
    } finally {
      restoreEnvironment(before);
    }
    assert.equal((await containers()).length, 1);
  });

  it('is built from a Dockerfile in a folder of its context', async () => {
    mkdirSync(path('project/docker'), { recursive: true });
    const dockerfile = path('project/docker/Dockerfile');
    writeFileSync(dockerfile, 'FROM lab/busybox\nCOPY word /word\n');
    writeFileSync(path('project/word'), 'word');
    const machine = await open({ dockerfile, buildContext: path('project') });
    assert.equal(await output(machine, 'cat /word'), 'word');
  });

  it('is built from a Dockerfile, and again when something of it has changed', async () => {
    mkdirSync(path('context'));
    const dockerfile = path('context/Dockerfile');
    writeFileSync(dockerfile, 'FROM lab/busybox\nCOPY word /word\nRUN echo built > /how\n');
    writeFileSync(path('context/.dockerignore'), 'runs\n');
    writeFileSync(path('context/word'), 'first');
    const made = (): Promise<ContainerMachine> => open({ dockerfile, network: 'host' });
    assert.equal(await output(await made(), 'cat /word /how'), 'firstbuilt');
    const [before] = await containers();
    mkdirSync(path('context/runs'));
    writeFileSync(path('context/runs/log'), 'ignored');
    await made();
    assert.deepEqual(await containers(), [before]);
    writeFileSync(path('context/word'), 'second');
    assert.equal(await output(await made(), 'cat /word'), 'second');
    assert.equal((await containers()).length, 1);
    writeFileSync(dockerfile, 'FROM lab/busybox\nRUN echo the reason; exit 7\n');
    await assert.rejects(made(), {
      reason: 'unreachable',
      message: /could not be built[^]*the reason[^]*code: 7/,
    });
  });

  it('outlives a Helios that is killed, with its runs', async () => {
    const launcher = spawn(
      process.execPath,
      [
        join(import.meta.dirname, 'containerLauncher.ts'),
        JSON.stringify(entry()),
        JSON.stringify(spec(`${steps(150)}; while [ ! -e /tmp/go ]; do sleep 0.05; done; exit 7`)),
        folder(),
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [line] = (await once(launcher.stdout, 'data')) as [Buffer];
    launcher.kill('SIGKILL');
    await once(launcher, 'exit');
    const machine = await open();
    const adopted = await runsOn(machine).adopt(JSON.parse(line.toString()) as RunSpec);
    assert.equal(adopted?.liveness.kind, 'running');
    await machine.exec('touch /tmp/go');
    assert.deepEqual(await verdictOf(adopted), { kind: 'failed', code: 7 });
    assert.equal(seen(adopted), 150);
    assert.equal((await containers()).length, 1);
  });

  for (const [what, deed] of [
    ['removed', (id: string) => dockerd.docker('rm', '-f', id)],
    ['stopped', (id: string) => dockerd.docker('stop', '-t', '0', id)],
    ['taken down with its engine', async () => (await dockerd.stop(), dockerd.start())],
  ] as const)
    it(`says of a run that its container was stopped, and keeps its output, when it is ${what}`, async () => {
      const machine = await open();
      const run = await runsOn(machine).launch(spec(steps(100_000)));
      await until('some points', () => seen(run) > 5);
      await deed((await containers())[0] ?? '');
      assert.deepEqual(await verdictOf(run), { kind: 'lost', why: 'its container was stopped' });
      const printed = Number(await output(machine, `grep -c loss= ${run.outputPath}`));
      assert.ok(printed > 5);
      assert.equal(seen(run), printed);
    });

  it('takes a changed entry when no run is going on any more', async () => {
    const before = await open();
    const run = await runsOn(before).launch(
      spec('while [ ! -e /tmp/go ]; do sleep 0.05; done; exit 4'),
    );
    const [former] = await containers();
    for (const one of owned.splice(0).reverse()) one.dispose();
    const machine = await open({ memoryMb: 64 });
    assert.deepEqual(await containers(), [former]);
    const adopted = await runsOn(machine, 'other').adopt(run.spec);
    assert.equal(adopted?.liveness.kind, 'running');
    await machine.exec('touch /tmp/go');
    assert.deepEqual(await verdictOf(adopted), { kind: 'failed', code: 4 });
    assert.equal(await output(machine, 'ls /tmp'), '');
    const now = await containers();
    assert.equal(now.length, 1);
    assert.notEqual(now[0], former);
    assert.match(await output(machine, `cat /helios/runs/${run.spec.id}/exit`), /code=4/);
  });

  it('is one for all that use it at a time, also while it is removed and made', async () => {
    const [first, second] = await Promise.all([open(), open()]);
    const [id = ''] = await containers();
    const removed = dockerd.docker('rm', '-f', id);
    // What is cut by the removal is not known to have begun; it is never told as an end.
    const cut = await Promise.allSettled(
      [first, second].map((machine) => output(machine, 'hostname')),
    );
    for (const each of cut)
      if (each.status === 'rejected') assert.match(String(each.reason), /lost during a command/);
    await removed;
    const said = await Promise.all(
      [first, second, first].map((machine) => output(machine, 'hostname')),
    );
    const [now = '', ...others] = await containers();
    assert.deepEqual(others, []);
    assert.deepEqual(new Set(said), new Set([now.slice(0, 12)]));
  });

  it('is removed by a later Helios when its machine is gone, unless a run is going on in it', async () => {
    await open();
    const busy = await open({ id: 'busy' });
    await busy.spawnDetached(['/bin/sh', '-c', 'sleep 60'], {
      cwd: '/',
      env: { HELIOS_RUN_ID: 'r-1' },
    });
    const strangers = dockerd.engines(path('other'));
    await strangers.remember(dockerd.socket);
    await strangers.removeStrays(() => false);
    assert.equal((await containers()).length, 2, 'those of another home are not touched');
    await engines().removeStrays((id) => id === 'lab');
    assert.equal((await containers()).length, 2);
    await engines().removeStrays(() => false);
    assert.deepEqual(await lines('ps', '-a', '--format', '{{.Label "helios.machine"}}'), ['busy']);
  });

  it('goes with its machine, when that is taken off the list', async () => {
    const file = new MachineFile({ path: path('machines.json'), write: writeFileAtomic });
    const registry = await MachineRegistry.open({
      local: new LocalMachine({ runsFolder: path('runs'), workFolder: folder() }),
      file,
      create: (made) =>
        new LazyMachine({
          id: made.id,
          kind: made.kind,
          connector: new ContainerConnector(entry({ id: made.id }), {
            engines: engines(),
            clock: systemClock,
          }),
          clock: systemClock,
        }),
      isBusy: () => false,
      clock: systemClock,
      logger: silentLogger,
    });
    owned.push(registry);
    tidyContainers(registry, engines());
    await registry.add(entry(), entry({ id: 'stays' }));
    for (const id of ['lab', 'stays']) await registry.get(id).stat('/');
    assert.equal((await containers()).length, 2);
    await registry.remove('lab');
    const left = () => lines('ps', '-a', '--format', '{{.Label "helios.machine"}}');
    await until('it is gone', async () => String(await left()) === 'stays');
  });
});
