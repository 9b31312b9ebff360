import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { isSessionId } from '../../../../src/base/ids.ts';
import type { Ledger } from '../../../../src/experiments/ledger.ts';
import { random, seedOf } from '../../../fakes/random.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { sweeper } from '../../../fakes/sweeper.ts';
import { testEngine } from '../../../fakes/testEngine.ts';
import type { WireServer } from '../../../fakes/wire.ts';
import { startWireAnthropic } from '../../../fakes/wireAnthropic.ts';
import { amountOf } from '../../../setup/needs.ts';
import { programFile } from '../../../setup/paths.ts';

const maxParallel = 2;
const kills = amountOf('HELIOS_KILLS', 3, 6);
const rates = [
  ...[0.02, 0.05, 0.1, 0.2, 0.3, 0.15, 0.25, 0.35, 0.04, 0.12, 0.22, 0.28, 0.31, 0.07],
].slice(0, 2 + kills * 2);
const goal = 'bring loss < 1';
const { PATH, NODE_COMPILE_CACHE } = process.env;

/** Leaves a mark when it starts, and writes down how many go on beside it. */
const program =
  'BEGIN { loss = 4; for (i = 1; i <= 8; i++) { loss *= 1 - {lr}; printf "step=%d loss=%.5f\\n", i, loss; fflush(); system("sleep 0.1") } }';
const command = `echo x >> started-{lr}; touch at-{lr}; ls | grep -c '^at-' >> beside\nawk '${program}'\nrm at-{lr}`;

describe('sweep crash', function () {
  this.timeout(300_000);
  let folder: string;
  let server: WireServer;
  const children = new Set<ChildProcess>();
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'helios-sweep-crash-'));
    server = await startWireAnthropic(sweeper({ rates, maxParallel, command }));
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    await server.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const helios = (name: string, ...more: string[]): ChildProcess => {
    const child = spawn(
      process.execPath,
      [programFile('cli'), '--json', '--yes', '--home', path.join(folder, name, 'home'), ...more],
      {
        cwd: path.join(folder, name, 'work'),
        stdio: ['ignore', 'pipe', 'pipe'],
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
    child.stderr?.resume();
    return child;
  };

  const ledgerOf = async (name: string): Promise<Ledger> => {
    const bed = await testEngine(new ScriptedModel([]), { folder: path.join(folder, name) });
    const [id = ''] = (await readdir(path.join(bed.home, 'sessions'))).filter(isSessionId);
    assert.ok(isSessionId(id));
    const reading = await bed.engine.sessions.read(id);
    await bed.engine.close();
    assert.equal(reading.state.end?.reason, 'goal');
    assert.deepEqual(
      [...reading.state.sweeps.values()].map(({ end }) => end),
      ['done'],
    );
    return reading.ledger;
  };
  /** What must be the same, however often it was killed: not pids and times. */
  const essence = (ledger: Ledger) =>
    ledger.rows.map(({ number, label, verdict, isChampion, metrics }) => ({
      ...{ number, label, verdict, isChampion, metrics },
    }));

  /**
   * Runs until it ends by itself, or is killed `afterMs` after it came to life; true when it ended.
   */
  const runFor = async (
    name: string,
    afterMs: number | undefined,
    ...more: string[]
  ): Promise<boolean> => {
    const one = helios(name, ...more);
    let timer: NodeJS.Timeout | undefined;
    one.stdout?.once('data', () => {
      if (afterMs !== undefined) timer = setTimeout(() => one.kill('SIGKILL'), afterMs);
    });
    one.stdout?.resume();
    const [code] = (await once(one, 'exit')) as [number | null];
    clearTimeout(timer);
    return code !== null;
  };

  const undisturbed = async (): Promise<Ledger> => {
    assert.ok(await runFor('calm', undefined, goal));
    return ledgerOf('calm');
  };

  const disturbed = async (): Promise<Ledger> => {
    const next = random(seedOf('HELIOS_KILLS_SEED', 20_261_121));
    let killed = (await runFor('rough', 100 + next() * 300, goal)) ? 0 : 1;
    while (killed > 0 && killed < kills && !(await runFor('rough', next() * 250, '--continue')))
      killed += 1;
    assert.ok(killed >= kills / 2, `it was killed only ${killed} times`);
    if (killed === kills) await runFor('rough', undefined, '--continue');
    return ledgerOf('rough');
  };

  it('runs each point once, and never more than it may, when its process is killed again and again', async () => {
    for (const name of ['calm', 'rough'])
      await mkdir(path.join(folder, name, 'work'), { recursive: true });
    const [calm, rough] = await Promise.all([undisturbed(), disturbed()]);
    assert.equal(calm.rows.length, rates.length);
    assert.deepEqual(essence(rough), essence(calm));
    const work = path.join(folder, 'rough', 'work');
    assert.equal((await readdir(path.join(folder, 'rough', 'home', 'runs'))).length, rates.length);
    for (const rate of rates) {
      assert.equal(await readFile(path.join(work, `started-${rate}`), 'utf8'), 'x\n', `lr=${rate}`);
    }
    const consult = (await readFile(path.join(work, 'beside'), 'utf8'))
      .trim()
      .split('\n')
      .map(Number);
    assert.equal(consult.length, rates.length);
    assert.ok(Math.max(...consult) <= maxParallel, `${consult.join()}`);
  });
});
