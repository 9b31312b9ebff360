import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { after, before, describe, it } from 'mocha';
import { isSessionId } from '../../src/base/ids.ts';
import type { LedgerRow } from '../../src/experiments/ledger.ts';
import { RunMetrics } from '../../src/metrics/runMetrics.ts';
import { fleetResearcher, fleetRuns } from '../fakes/fleet.ts';
import { NetHost } from '../fakes/netHost.ts';
import { random, seedOf } from '../fakes/random.ts';
import { until } from '../fakes/scratch.ts';
import { ScriptedModel } from '../fakes/scriptedModel.ts';
import { testEngine } from '../fakes/testEngine.ts';
import type { WireServer } from '../fakes/wire.ts';
import { startWireAnthropic } from '../fakes/wireAnthropic.ts';
import { programFile } from '../setup/paths.ts';

const longMinutes = Number(process.env.HELIOS_CHAOS_MINUTES ?? 0);
const isLong = longMinutes > 0;
const { PATH, NODE_COMPILE_CACHE } = process.env;
const chaosSeconds = isLong ? longMinutes * 60 : 25;
const kills = isLong ? 5 : 2;
const steps = isLong ? 200 : 60;
const hostIds = ['gpu1', 'gpu2', 'gpu3', 'gpu4'];
const runs = fleetRuns(hostIds, 20, steps);
/** Seconds that a link is there, and is not. */
const upSeconds = isLong ? [5, 40] : [1, 5];
const cutSeconds = isLong ? [2, 45] : [1, 7];
/** For hosts to be found again after the last cut, and what they did meanwhile to be read. */
const returnMs = 150_000;

describe('a fleet on links that break', function () {
  this.timeout((chaosSeconds + 120) * 1000 + returnMs);
  let folder: string;
  let server: WireServer;
  const hosts: NetHost[] = [];
  const children = new Set<ChildProcess>();
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'helios-links-'));
    server = await startWireAnthropic(fleetResearcher(runs));
    for (const index of hostIds.keys()) hosts.push(await NetHost.start(index));
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(hosts.map((host) => host.dispose()));
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** A home of its own with the four machines; `paceSeconds` between two steps of a run. */
  async function newSession(name: string, paceSeconds: number): Promise<void> {
    const work = path.join(folder, name, 'work');
    await mkdir(work, { recursive: true });
    await mkdir(path.join(folder, name, 'home'));
    await mkdir(path.join(folder, '.ssh'), { recursive: true });
    await writeFile(path.join(work, 'pace'), String(paceSeconds));
    const config = hosts.map(({ address, sshd }, index) =>
      [
        `Host ${hostIds[index]}`,
        ` HostName ${address}`,
        ` Port ${sshd.port}`,
        ` User ${userInfo().username}`,
        ` IdentityFile ${sshd.folder}/key`,
        ` UserKnownHostsFile ${sshd.knownHosts}`,
      ].join('\n'),
    );
    await writeFile(path.join(folder, '.ssh', 'config'), `${config.join('\n')}\n`, { mode: 0o600 });
    const machines = hostIds.map((id) => ({ id, kind: 'ssh', alias: id, workFolder: work }));
    await writeFile(
      path.join(folder, name, 'home', 'machines.json'),
      JSON.stringify({ version: 1, machines }),
    );
  }

  /** The real command line, with the real SDK. */
  function helios(name: string, ...more: string[]): ChildProcess {
    const child = spawn(
      process.execPath,
      [programFile('cli'), '--json', '--yes', '--home', path.join(folder, name, 'home'), ...more],
      {
        cwd: path.join(folder, name, 'work'),
        stdio: ['ignore', 'ignore', 'pipe'],
        env: {
          PATH,
          NODE_COMPILE_CACHE,
          HOME: folder,
          ANTHROPIC_BASE_URL: server.url,
          ANTHROPIC_API_KEY: 'test-key',
        },
      },
    );
    children.add(child);
    child.once('exit', () => children.delete(child));
    child.stderr?.on(
      'data',
      (bytes: Buffer) => process.env.HELIOS_CHAOS_SHOW && process.stderr.write(bytes),
    );
    return child;
  }

  async function journalOf(name: string): Promise<string> {
    const sessions = path.join(folder, name, 'home', 'sessions');
    const [id = ''] = await readdir(sessions).catch((): string[] => []);
    return readFile(path.join(sessions, id, 'journal.jsonl'), 'utf8').catch(() => '');
  }
  const countOf = async (name: string, event: string): Promise<number> =>
    (await journalOf(name)).split(`"type":"${event}"`).length - 1;

  /** What must be the same, however often links broke and the process died: not pids and times. */
  async function outcomeOf(name: string): Promise<unknown[]> {
    const bed = await testEngine(new ScriptedModel([]), { folder: path.join(folder, name) });
    try {
      const [id = ''] = (await readdir(path.join(bed.home, 'sessions'))).filter(isSessionId);
      assert.ok(isSessionId(id));
      const { state, ledger } = await bed.engine.sessions.read(id);
      assert.equal(state.end?.reason, 'goal');
      return await Promise.all(
        ledger.rows.map((row) => essence(row, path.join(bed.home, 'runs', row.runId))),
      );
    } finally {
      await bed.engine.close();
    }
  }

  async function essence(row: LedgerRow, pointsFolder: string): Promise<unknown> {
    const { number, machineId, label, verdict, isChampion, metrics } = row;
    const points = await RunMetrics.open(pointsFolder, { names: ['loss', 'acc'] });
    const series = ['loss', 'acc'].map((metric) => {
      const { steps: at, values } = points.series(metric);
      return { metric, steps: [...at], values: [...values] };
    });
    points.dispose();
    return { number, machineId, label, verdict, isChampion, metrics, series };
  }

  const logins = (): number[] => hosts.map(({ sshd }) => sshd.logins);
  const sessions = (): number[] => hosts.map(({ sshd }) => sshd.sessions);
  const sleep = (seconds: number): Promise<void> =>
    new Promise((resolve) => setTimeout(resolve, seconds * 1000));

  it('has the ledger of an undisturbed one, however often they break and Helios is killed', async () => {
    console.log(`      ${chaosSeconds} s, ${kills} kills`);
    const next = random(seedOf('HELIOS_CHAOS_SEED', 20_261_120));
    const between = ([min = 0, max = 0]: readonly number[]): number => min + next() * (max - min);
    await newSession('calm', 0.02);
    const calm = helios('calm', 'bring loss < 10');
    assert.deepEqual(await once(calm, 'exit'), [0, null]);
    const expected = await outcomeOf('calm');
    assert.equal(expected.length, runs.length);

    await newSession('rough', chaosSeconds / steps);
    let current = helios('rough', 'bring loss < 10');
    await until(
      'all runs have started',
      async () => (await countOf('rough', 'run.started')) === runs.length,
      60_000,
    );
    const opened = () => ({ logins: logins(), sessions: sessions() });
    let before = opened();
    // What their start cost may still come, on a busy machine; what they cost every few seconds
    // would always.
    await until('runs that go on cost no session', async () => {
      before = opened();
      await sleep(5);
      return isDeepStrictEqual(opened(), before);
    });

    const endMs = performance.now() + chaosSeconds * 1000;
    const isChaos = (): boolean => performance.now() < endMs && current.exitCode === null;
    const cuts = { drop: 0, pull: 0 };
    const breaking = hosts.map(async (host) => {
      while (performance.now() < endMs) {
        await sleep(between(upSeconds));
        const how = next() < 0.5 ? 'drop' : 'pull';
        cuts[how] += 1;
        await host[how]();
        await sleep(between(cutSeconds));
        await host.restore();
      }
    });
    let killed = 0;
    for (; killed < kills && isChaos(); killed += 1) {
      await sleep(((0.4 + 0.6 * next()) * chaosSeconds) / (kills + 1));
      assert.equal(current.exitCode, null, 'it is there to be killed');
      const gone = once(current, 'exit');
      current.kill('SIGKILL');
      await gone;
      current = helios('rough', '--continue');
    }
    await Promise.all(breaking);
    if (current.exitCode === null) {
      const end = once(current, 'exit');
      const late = setTimeout(() => current.kill('SIGKILL'), returnMs);
      assert.deepEqual(await end, [0, null]);
      clearTimeout(late);
    }
    assert.equal(killed, kills);
    const outcome = await outcomeOf('rough');
    assert.deepEqual(outcome, expected);
    for (const { label } of runs)
      assert.equal(
        await readFile(path.join(folder, 'rough', 'work', `started-${label}`), 'utf8'),
        'x\n',
        label,
      );
    const figures = {
      cuts,
      killed,
      logins: logins().map((count, index) => count - (before.logins[index] ?? 0)),
      sessions: sessions().map((count, index) => count - (before.sessions[index] ?? 0)),
      points: (outcome as { series: { values: number[] }[] }[]).flatMap(
        ({ series }) => series[0]?.values ?? [],
      ).length,
    };
    console.log(`      ${JSON.stringify(figures)}`);
    assert.ok(cuts.drop + cuts.pull >= hosts.length);
  });
});
