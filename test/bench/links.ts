/**
 * What SSH costs: commands, connections, the way of a line to its point, the end of a run, and
 * coming back to many.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '../../src/base/clock.ts';
import { DisposableStore } from '../../src/base/disposable.ts';
import { newRunId, type SessionId } from '../../src/base/ids.ts';
import { createMachines } from '../../src/machines/list/machineList.ts';
import type { SshTarget } from '../../src/machines/ssh/sshConfig.ts';
import { SshConnection } from '../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../src/machines/ssh/sshMachine.ts';
import type { Run } from '../../src/runs/liveRun.ts';
import type { RunSpec } from '../../src/runs/run.ts';
import { Runs } from '../../src/runs/runs.ts';
import { until } from '../fakes/scratch.ts';
import { scriptedPrompts, TestSshd } from '../fakes/sshd.ts';
import { median, none, spread, timed, type Figure, type Size } from './figure.ts';
import { SshMaster } from './sshMaster.ts';

const sizes = {
  full: { commands: 60, warmUps: 5, hosts: 4, runs: 20, countedSeconds: 30, lines: 60, ends: 15 },
  tiny: { commands: 3, warmUps: 1, hosts: 2, runs: 2, countedSeconds: 1, lines: 5, ends: 2 },
};

type Terms = (typeof sizes)['full'];

export async function benchLinks(folder: string, size: Size): Promise<Figure[]> {
  const terms = sizes[size];
  const hosts = await Promise.all(Array.from({ length: terms.hosts }, () => TestSshd.start()));
  const [host] = hosts as [TestSshd];
  try {
    return [
      ...(await commandFigures(host, terms)),
      ...(await lineFigures(host, join(folder, 'near'), { ...terms, roundTripMs: 0 })),
      ...(await lineFigures(host, join(folder, 'far'), { ...terms, roundTripMs: 100 })),
      ...(await endFigures(host, join(folder, 'ends'), terms)),
      ...(await fleetFigures(hosts, join(folder, 'fleet'), terms)),
    ];
  } finally {
    for (const each of hosts) await each.dispose();
  }
}

/** One Helios, with its own connections: one for each target. */
async function controller(
  folder: string,
  targets: readonly SshTarget[],
  owned: DisposableStore,
): Promise<Runs> {
  await mkdir(join(folder, 'points'), { recursive: true });
  const machines = targets.map((target, index) => {
    const connection = owned.add(new SshConnection(target, scriptedPrompts()));
    return owned.add(new SshMachine({ id: `gpu${index + 1}`, connection, homeFolder: folder }));
  });
  return owned.add(
    new Runs({
      machines: createMachines(machines),
      folder: join(folder, 'points'),
      clock: systemClock,
    }),
  );
}

let number = 0;
const specOf = (command: string, cwd: string, machineId = 'gpu1'): RunSpec => ({
  id: newRunId(Date.now()),
  sessionId: 's-bench0000' as SessionId,
  number: ++number,
  machineId,
  command,
  cwd,
  env: {},
  metrics: { names: ['sent', 'loss'] },
  label: '',
  plannedMs: Date.now() + number,
});

/** In turns with `ssh` on a connection that is open already, to the same server. */
async function commandFigures(host: TestSshd, { commands, warmUps }: Terms): Promise<Figure[]> {
  const master = await SshMaster.open(host);
  const connection = new SshConnection(host.target(), scriptedPrompts());
  const machine = new SshMachine({ id: 'gpu1', connection, homeFolder: '/' });
  try {
    const run = promisify(execFile);
    const ours: number[] = [];
    const theirs: number[] = [];
    const inTurn = [
      { timesMs: ours, work: () => machine.exec('true', { cwd: '/' }) },
      { timesMs: theirs, work: () => run('ssh', [...master.options, '127.0.0.1', 'true']) },
    ];
    for (let turn = -warmUps; turn < commands; turn += 1)
      for (const { timesMs, work } of turn % 2 === 0 ? inTurn : inTurn.toReversed()) {
        const tookMs = await timed(work);
        if (turn >= 0) timesMs.push(tookMs);
      }
    return [
      ...spread('SSH command', ours),
      ...spread('SSH command of ssh with ControlMaster, for comparison', theirs),
      {
        name: 'SSH command ÷ ssh with ControlMaster',
        value: median(ours) / median(theirs),
        unit: '×',
        aim: { atMost: 1.2 },
      },
    ];
  } finally {
    machine.dispose();
    connection.dispose();
    master.dispose();
  }
}

/** Each line holds when it was written. */
async function lineFigures(
  host: TestSshd,
  folder: string,
  { lines, roundTripMs }: Terms & { readonly roundTripMs: number },
): Promise<Figure[]> {
  const owned = new DisposableStore();
  try {
    const far = await relay(host.port, roundTripMs / 2, owned);
    await mkdir(folder, { recursive: true });
    const known = join(folder, 'known_hosts');
    await writeFile(known, (await readFile(host.knownHosts, 'utf8')).replace(/:\d+ /, `:${far} `));
    const runs = await controller(
      folder,
      [host.target({ port: far, knownHostsFiles: [known] })],
      owned,
    );
    const ages: number[] = [];
    owned.add(
      runs.onDidChange((change) => {
        if (change.kind !== 'points') return;
        for (const { metric, value } of change.points)
          if (metric === 'sent') ages.push(Date.now() - value);
      }),
    );
    const command = `for i in $(seq ${lines}); do echo "sent=$(date +%s%3N)"; sleep 0.1$((i % 10)); done`;
    const run = await runs.launch(specOf(command, folder));
    await ended(run);
    const what = `${roundTripMs} ms round trip`;
    const loss = {
      name: `lines that were not seen, ${what}`,
      value: lines - ages.length,
      unit: 'count',
    } as const;
    return [...spread(`line written → point seen, ${what}`, ages), { ...loss, aim: none }];
  } finally {
    owned.dispose();
  }
}

async function endFigures(host: TestSshd, folder: string, { ends }: Terms): Promise<Figure[]> {
  const owned = new DisposableStore();
  try {
    const runs = await controller(folder, [host.target()], owned);
    const timesMs: number[] = [];
    for (let turn = 0; turn < ends; turn += 1) {
      const run = await runs.launch(specOf('sleep 0.3; echo "sent=$(date +%s%3N)"', folder));
      await ended(run);
      timesMs.push(Date.now() - (run.metrics.summary('sent')?.last ?? 0));
    }
    return spread('last instruction of a run → its end known, over SSH', timesMs, 1000);
  } finally {
    owned.dispose();
  }
}

async function fleetFigures(
  hosts: readonly TestSshd[],
  folder: string,
  terms: Terms,
): Promise<Figure[]> {
  const { runs: runCount, countedSeconds } = terms;
  const targets = hosts.map((host) => host.target());
  const first = new DisposableStore();
  const second = new DisposableStore();
  const runs = await controller(folder, targets, first);
  const command = 'i=0; while sleep 1; do i=$((i + 1)); echo "step=$i loss=0.$i"; done';
  const specs = Array.from({ length: runCount }, (_, index) =>
    specOf(command, folder, `gpu${(index % hosts.length) + 1}`),
  );
  try {
    const before = sum(hosts, 'logins');
    await Promise.all(specs.map((spec) => runs.launch(spec)));
    const connections = sum(hosts, 'logins') - before;
    const start = { logins: sum(hosts, 'logins'), sessions: sum(hosts, 'sessions') };
    await new Promise((resolve) => setTimeout(resolve, countedSeconds * 1000));
    const runHours = (runCount * countedSeconds) / 3600;
    const perRunHour = (what: 'logins' | 'sessions'): number =>
      (sum(hosts, what) - start[what]) / runHours;
    const counted = [perRunHour('logins'), perRunHour('sessions')] as const;
    first.dispose();
    const again = await controller(folder, targets, second);
    const adoptMs = await timed(() => Promise.all(specs.map((spec) => again.adopt(spec))));
    const going = again.all().filter(({ liveness }) => liveness.kind === 'running');
    if (going.length !== runCount)
      throw new Error(`${going.length} of ${runCount} runs were adopted.`);
    await Promise.all(going.map((run) => again.kill(run, { graceMs: 500 })));
    return [
      {
        name: `connections to launch ${runCount} runs on ${hosts.length} hosts`,
        value: connections,
        unit: 'count',
        aim: { atMost: hosts.length, kind: 'correctness' },
      },
      { name: 'further connections per run-hour', value: counted[0], unit: 'count', aim: none },
      {
        name: 'commands per run-hour while runs go on',
        value: counted[1],
        unit: 'count',
        aim: none,
      },
      {
        name: `adopting ${runCount} runs on ${hosts.length} hosts`,
        value: adoptMs,
        unit: 'ms',
        aim: { atMost: 2000 },
      },
    ];
  } finally {
    first.dispose();
    second.dispose();
  }
}

const sum = (hosts: readonly TestSshd[], what: 'logins' | 'sessions'): number =>
  hosts.reduce((total, host) => total + host[what], 0);

const ended = (run: Run): Promise<void> =>
  until('the run ends', () => run.liveness.kind === 'ended', 60_000);

/** Holds each piece back for `delayMs`, in both directions, in order. */
async function relay(port: number, delayMs: number, owned: DisposableStore): Promise<number> {
  const server: Server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    const pass = (from: Socket, to: Socket): void => {
      from.setNoDelay(true);
      from.on('data', (bytes) => setTimeout(() => to.write(bytes), delayMs));
      from.on('close', () => setTimeout(() => to.destroy(), delayMs));
      from.on('error', () => undefined);
    };
    pass(near, far);
    pass(far, near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  owned.add({ dispose: () => void server.close() });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
