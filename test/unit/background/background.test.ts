import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Engine } from '../../../src/agent/contract/engine.ts';
import type { Session } from '../../../src/agent/contract/sessions.ts';
import type { JournalEvent } from '../../../src/agent/journal/events.ts';
import type { Handover } from '../../../src/compose/handover.ts';
import { systemClock } from '../../../src/base/clock.ts';
import type { SessionId } from '../../../src/base/ids.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { runCli } from '../../../src/cli/cli.ts';
import { createEngine } from '../../../src/compose/engine.ts';
import { keepOn } from '../../../src/background/keepOn.ts';
import { homeAt } from '../../../src/storage/home.ts';
import { Lease } from '../../../src/storage/lease.ts';
import { backgroundEnv, BackgroundProcess } from '../../../src/compose/backgroundProcess.ts';
import { fakeDeps } from '../../fakes/cliDeps.ts';
import { fillDisk } from '../../fakes/fullDisk.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { researcher } from '../../fakes/researcher.ts';
import { until as untilSo } from '../../fakes/scratch.ts';
import { assetsFolder, until } from '../../fakes/testEngine.ts';
import { WarpClock } from '../../fakes/warpClock.ts';
import type { WireServer } from '../../fakes/wire.ts';
import { startWireAnthropic } from '../../fakes/wireAnthropic.ts';
import { programFile } from '../../setup/paths.ts';

const main = programFile('background');
const key = 'key-that-nobody-may-see';
const variable = 'ANTHROPIC_API_KEY';

/** It and the process that does its work. */
function endGroup({ pid = 0 }: ChildProcess): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

describe('the background process', function () {
  this.timeout(240_000);
  let folder: string;
  let home: string;
  let server: WireServer;
  const children: ChildProcess[] = [];
  const engines: Engine[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'helios-background-'));
    home = path.join(folder, 'home');
    server = await startWireAnthropic(researcher({ rates: [0.05, 0.1, 0.2], runSeconds: 0.3 }));
  });
  afterEach(async () => {
    for (const child of children.splice(0)) endGroup(child);
    for (const engine of engines.splice(0)) await engine.close();
    await server.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });

  const settings = (): Handover['settings'] => ({
    provider: 'claude',
    permissionMode: 'allow',
    idleTurns: 5,
    anthropicBaseUrl: server.url,
  });
  const handover = (sessions: readonly SessionId[], more: Partial<Handover> = {}): Handover => ({
    ...{
      home,
      assetsFolder,
      settings: settings(),
      secrets: { anthropic: key },
      machineSecrets: {},
      graceMs: 0,
    },
    sessions: [...sessions],
    ...more,
  });
  const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
  const openEngine = async (): Promise<Engine> => {
    const ports = {
      secret: () => Promise.resolve(key),
      approve: () => Promise.reject(new Error('nobody')),
    };
    const engine = await createEngine({
      home,
      assetsFolder,
      settings,
      ports,
      ownerKind: 'window',
      workFolder: folder,
    });
    engines.push(engine);
    return engine;
  };
  const leave = async (): Promise<SessionId> => {
    const engine = await openEngine();
    const { id } = await engine.sessions.start({
      goal: 'bring loss < 0.5',
      budget: {},
      workFolder: folder,
    });
    await engine.close();
    return id;
  };
  const start = (
    nodeArguments: readonly string[] = [],
  ): { child: ChildProcess; said: () => string; code: Promise<number | null> } => {
    const child = spawn(process.execPath, [...nodeArguments, main], {
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: true,
    });
    children.push(child);
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
    // Its exit can be heard before its last words.
    const code = once(child, 'close').then(([status]) => status as number | null);
    return { child, said: () => said, code };
  };
  const ending = async (input: string): Promise<{ code: number | null; said: string }> => {
    const { child, said, code } = start();
    child.stdin?.end(input);
    return { code: await code, said: said() };
  };
  const events = async (id: SessionId): Promise<readonly JournalEvent[]> =>
    (await openEngine()).sessions.read(id).then((reading) => reading.events);

  it('goes on with what the window left, and keeps the secrets it was told to itself', async () => {
    const id = await leave();
    const { code, said } = await ending(line(handover([id])));
    assert.equal(code, 0, said);
    const found = await events(id);
    assert.equal(found.filter(({ type }) => type === 'run.started').length, 3);
    const last = found.find((event) => event.type === 'session.ended');
    assert.equal(last?.reason, 'goal');
    assert.match(
      said,
      new RegExp(`Resumed session ${id}[^]*${id} has ended: Goal met[^]*No session is left`),
    );
    assert.doesNotMatch(said, new RegExp(key));
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) {
        const file = path.join(entry.parentPath, entry.name);
        assert.equal((await readFile(file)).includes(key), false, file);
      }
  });

  it('leaves alone what has ended or been paused meanwhile, or what somebody else holds', async () => {
    const engine = await openEngine();
    const request = { budget: {}, workFolder: folder };
    const ended = await engine.sessions.start({ ...request, goal: 'bring loss < 0.01' });
    await ended.stop();
    const paused = await engine.sessions.start({ ...request, goal: 'bring loss < 0.02' });
    await paused.interrupt();
    const held = await engine.sessions.start({ ...request, goal: 'bring loss < 0.03' });
    const { code, said } = await ending(line(handover([ended.id, paused.id, held.id])));
    assert.equal(code, 0, said);
    assert.match(
      said,
      new RegExp(`${held.id} is not resumed: .*a VS Code window \\(process ${process.pid} on`),
    );
    assert.doesNotMatch(said, /Resumed session/);
  });

  const words: readonly {
    readonly name: string;
    input(): string;
    readonly code: number;
    readonly says: RegExp;
  }[] = [
    {
      name: 'no word',
      input: () => '',
      code: 1,
      says: /error The window closed without sending a valid message/,
    },
    {
      name: 'no whole line',
      input: () => '{"home":"/x"',
      code: 1,
      says: /A line of 12 characters is not JSON/,
    },
    {
      name: 'what is no handover',
      input: () => line({ home: 'x' }),
      code: 1,
      says: /home must be absolute/,
    },
    {
      name: 'a list',
      input: () => line([1]),
      code: 1,
      says: /The message of the window is invalid/,
    },
    {
      name: 'no session',
      input: () => line(handover([])),
      code: 0,
      says: /No session is left to continue/,
    },
    {
      name: 'a session that is not there',
      input: () => line(handover(['s-000000000zzzzzz' as SessionId])),
      code: 0,
      says: /s-000000000zzzzzz is not resumed: There is no session/,
    },
    {
      name: 'a good line and then garbage',
      input: () => `${line(handover([]))}${key} {\n`,
      code: 0,
      says: /A line of 25 characters is not JSON[^]*No session is left/,
    },
  ];
  for (const { name, input, code, says } of words)
    it(`ends with ${code} and says why when it is left ${name}`, async () => {
      const end = await ending(input());
      assert.equal(end.code, code, end.said);
      assert.match(end.said, says);
      assert.doesNotMatch(end.said, new RegExp(key));
    });

  it('says what is wrong when the home cannot be read', async () => {
    await writeFile(home, 'a file where a folder should be');
    const { code, said } = await ending(line(handover(['s-000000000zzzzzz' as SessionId])));
    assert.equal(code, 1, said);
    assert.match(
      said,
      /s-000000000zzzzzz is not resumed: ENOTDIR[^]*error The sessions cannot be continued\./,
    );
  });

  it('takes a session up once there is room on the disk', async () => {
    const id = await leave();
    const clock = new WarpClock();
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (text: string) => void warnings.push(text) };
    const disk = await fillDisk((text) => text.includes('session.resumed'));
    const keeping = keepOn(handover([id]), { clock, logger, signal: new AbortController().signal });
    try {
      await until(() => warnings.length === 1);
      await clock.warp(31_000);
      assert.equal(warnings.length, 1);
    } finally {
      disk.makeRoom();
    }
    await clock.warp(11_000);
    await keeping;
    clock.dispose();
    assert.match(warnings[0] ?? '', new RegExp(`${id} is not resumed: No space left to write`));
    assert.equal(
      (await events(id)).find((event) => event.type === 'session.ended')?.reason,
      'goal',
    );
  });

  it('gives a session back to a window that asks, and ends', async () => {
    await server.close();
    server = await startWireAnthropic(researcher({ rates: [0.05], runSeconds: 60 }));
    const id = await leave();
    const { child, said, code } = start();
    child.stdin?.end(line(handover([id])));
    const holder = () => Lease.holder(homeAt(home).leaseFile(id), systemClock);
    await untilSo('it goes on', async () => (await holder())?.kind === 'detached');
    const engine = await openEngine();
    assert.deepEqual(await engine.sessions.interrupted(), [id]);
    const session: Session = await engine.sessions.resume(id);
    assert.equal((await holder())?.kind, 'window');
    await session.stop({ killRuns: true });
    assert.equal(await code, 0, said());
  });

  it('gives it back at once, not with its heartbeat', async () => {
    await server.close();
    server = await startWireAnthropic(researcher({ rates: [0.05], runSeconds: 60 }));
    const id = await leave();
    // Its clock stands still from here on: it hears of the window by the files alone.
    const clock = new ManualClock(Date.now());
    const keeping = keepOn(handover([id]), {
      clock,
      logger: silentLogger,
      signal: new AbortController().signal,
    });
    await clock.advance(0);
    const holder = () => Lease.holder(homeAt(home).leaseFile(id), systemClock);
    await untilSo('it goes on', async () => (await holder())?.kind === 'detached');
    const session = await (await openEngine()).sessions.resume(id);
    assert.equal((await holder())?.kind, 'window');
    await session.stop({ killRuns: true });
    await untilSo('it looks whether it is needed again', () => clock.pendingTimers > 0);
    await clock.advance(10_000);
    await keeping;
  });

  it('gives a session back to a terminal that takes it up by its id, over a call that is under way', async () => {
    await server.close();
    let isSilent = true;
    const answer = researcher({ rates: [0.3], runSeconds: 0.3 });
    server = await startWireAnthropic((request) =>
      isSilent ? { breaks: { at: 'connect', how: 'hang' } } : answer(request),
    );
    const id = await leave();
    const asked = server.requests.length;
    const { child, said } = start();
    child.stdin?.end(line(handover([id])));
    await until(() => server.requests.length > asked);
    const worker = (await Lease.holder(homeAt(home).leaseFile(id), systemClock))?.pid;
    isSilent = false;
    const deps = fakeDeps({ folder, env: { [variable]: key, ANTHROPIC_BASE_URL: server.url } });
    assert.equal(await runCli(['--yes', '--resume', id], deps), 0, deps.stderr.text);
    assert.match(deps.stdout.text, /lr=0\.3/);
    assert.match(said(), /Session \S+ is handed over/);
    const found = await events(id);
    assert.deepEqual(
      found.flatMap((event) => (event.type === 'session.resumed' ? [event.by] : [])),
      [`process ${worker}`, `process ${process.pid}`],
    );
    assert.equal(found.filter(({ type }) => type === 'run.started').length, 1);
  });

  it('takes a session up again that a terminal took and then died over, while another goes on', async () => {
    await server.close();
    server = await startWireAnthropic(researcher({ rates: [0.05], runSeconds: 60 }));
    const [id, other] = [await leave(), await leave()];
    const clock = new WarpClock();
    const stop = new AbortController();
    const keeping = keepOn(handover([id, other]), {
      clock,
      logger: silentLogger,
      signal: stop.signal,
    });
    const holder = (of: SessionId) => Lease.holder(homeAt(home).leaseFile(of), systemClock);
    await untilSo(
      'both go on',
      async () =>
        (await holder(id))?.kind === 'detached' && (await holder(other))?.kind === 'detached',
    );
    const terminal = await Lease.acquire(homeAt(home).leaseFile(id), {
      ...{ clock, kind: 'terminal', onLost: () => undefined },
    });
    await clock.warp(61_000);
    assert.equal((await holder(id))?.kind, 'terminal');
    await terminal.release();
    await clock.warp(11_000);
    await untilSo('it goes on again', async () => (await holder(id))?.kind === 'detached');
    assert.equal((await holder(other))?.kind, 'detached');
    stop.abort();
    await keeping;
    clock.dispose();
    const engine = await openEngine();
    for (const each of [id, other])
      await (await engine.sessions.resume(each)).stop({ killRuns: true });
  });

  /** Once the session goes on there, in the middle of whatever it does; once in all. */
  const dies = (id: SessionId, how: string): readonly string[] => {
    const once = JSON.stringify(path.join(folder, 'died'));
    const script = `import { existsSync, readFileSync, writeFileSync } from 'node:fs';
      const look = setInterval(() => {
        if (!readFileSync(${JSON.stringify(homeAt(home).journalFile(id))}, 'utf8').includes('session.resumed')) return;
        clearInterval(look);
        writeFileSync(${once}, '');
        ${how};
      }, 5);
      if (!process.argv.includes('work') || existsSync(${once})) clearInterval(look);`;
    return ['--import', `data:text/javascript,${encodeURIComponent(script)}`];
  };
  const deaths = [
    {
      name: 'a fault that nobody caught',
      how: "throw new Error('boom')",
      says: /Uncaught error.*boom/,
    },
    {
      name: 'it was killed',
      how: "process.kill(process.pid, 'SIGKILL')",
      says: /The child process ended with SIGKILL/,
    },
    {
      name: 'memory ran out',
      how: 'process.abort()',
      says: /The child process ended with SIGABRT/,
    },
  ];
  for (const { name, how, says } of deaths)
    it(`begins anew after ${name}, and loses no run`, async () => {
      const id = await leave();
      const { child, said, code } = start(dies(id, how));
      child.stdin?.end(line(handover([id])));
      assert.equal(await code, 0, said());
      assert.match(said(), says);
      assert.match(said(), /is restarted in 2 s\.[^]*Resumed session/);
      const found = await events(id);
      assert.equal(found.filter(({ type }) => type === 'run.started').length, 3);
      assert.equal(found.find((event) => event.type === 'session.ended')?.reason, 'goal');
    });

  it('lets go of its sessions in good order when it is told to end', async () => {
    await server.close();
    server = await startWireAnthropic(researcher({ rates: [0.05], runSeconds: 60 }));
    const id = await leave();
    const { child, said, code } = start();
    child.stdin?.end(line(handover([id])));
    const holder = () => Lease.holder(homeAt(home).leaseFile(id), systemClock);
    await untilSo('it goes on', async () => (await holder())?.kind === 'detached');
    child.kill('SIGTERM');
    assert.equal(await code, 0, said());
    assert.equal(await holder(), undefined);
    assert.doesNotMatch(said(), /is restarted/);
    await (await (await openEngine()).sessions.resume(id)).stop({ killRuns: true });
  });

  it('is started with its secrets neither in its arguments nor in its environment', async () => {
    const before = process.env[variable];
    process.env[variable] = key;
    try {
      const { promise: gone, resolve } = Promise.withResolvers<string>();
      const logFile = homeAt(home).backgroundLogFile;
      const secretVariables = [variable];
      const background = new BackgroundProcess({
        file: main,
        home,
        logFile,
        secretVariables,
        onExit: resolve,
      });
      background.tell(handover(['s-000000000zzzzzz' as SessionId]));
      for (const file of ['cmdline', 'environ'])
        assert.equal(
          (await readFile(`/proc/${background.pid}/${file}`)).includes(key),
          false,
          file,
        );
      // Of a session of its own: no signal to the window's group reaches it.
      const stat = await readFile(`/proc/${background.pid}/stat`, 'utf8');
      assert.equal(Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]), background.pid);
      process.kill(background.pid ?? 0, 'SIGKILL');
      assert.equal(await gone, 'signal SIGKILL');
      background.tell(handover([]));
      assert.equal(await readFile(logFile, 'utf8'), '');
    } finally {
      if (before === undefined) delete process.env[variable];
      else process.env[variable] = before;
    }
  });

  it('is not tied to the window by its environment', () => {
    const env = {
      PATH: '/bin',
      VSCODE_PID: '1',
      ELECTRON_X: '1',
      NODE_OPTIONS: '-r x',
      HF_TOKEN: 't',
      [variable]: key,
    };
    assert.deepEqual(backgroundEnv(env, [variable]), {
      PATH: '/bin',
      HF_TOKEN: 't',
      ELECTRON_RUN_AS_NODE: '1',
    });
  });
});
