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
import { researcher } from '../../../fakes/researcher.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { testEngine } from '../../../fakes/testEngine.ts';
import type { WireServer } from '../../../fakes/wire.ts';
import { startWireAnthropic } from '../../../fakes/wireAnthropic.ts';
import { amountOf } from '../../../setup/needs.ts';
import { programFile } from '../../../setup/paths.ts';

const kills = amountOf('HELIOS_KILLS', 4, 8);
/** A few more than there are kills, each of which may come within a run. */
const rates = [0.02, 0.05, 0.1, 0.2, 0.3, 0.15, 0.25, 0.35, 0.04, 0.12, 0.22, 0.28].slice(
  0,
  Math.ceil(kills * 1.5),
);
const { PATH, NODE_COMPILE_CACHE } = process.env;

describe('crash', function () {
  this.timeout(300_000);
  let folder: string;
  let server: WireServer;
  const children = new Set<ChildProcess>();
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'helios-crash-'));
    server = await startWireAnthropic(researcher({ rates, runSeconds: 0.4 }));
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** The real command line, with the real SDK, on a home of its own. */
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

  const goal = 'bring loss < 0.01';
  const ledgerOf = async (name: string): Promise<Ledger> => {
    const bed = await testEngine(new ScriptedModel([]), { folder: path.join(folder, name) });
    const [id = ''] = (await readdir(path.join(bed.home, 'sessions'))).filter(isSessionId);
    assert.ok(isSessionId(id));
    const reading = await bed.engine.sessions.read(id);
    await bed.engine.close();
    assert.equal(reading.state.end?.reason, 'goal');
    return reading.ledger;
  };
  /** What must be the same, however often it was killed: not pids and times. */
  const essence = (ledger: Ledger) =>
    ledger.rows.map(({ number, label, verdict, isChampion, metrics }) => ({
      number,
      label,
      verdict,
      isChampion,
      metrics,
    }));

  const undisturbed = async (): Promise<Ledger> => {
    await mkdir(path.join(folder, 'calm', 'work'), { recursive: true });
    const calm = helios('calm', goal);
    calm.stdout?.resume();
    const [code] = (await once(calm, 'exit')) as [number];
    assert.equal(code, 0);
    return ledgerOf('calm');
  };

  /**
   * Runs until it ends by itself, or is killed `afterMs` after it came to life; true when it ended.
   */
  const runFor = async (afterMs: number, ...more: string[]): Promise<boolean> => {
    const one = helios('rough', ...more);
    let timer: NodeJS.Timeout | undefined;
    one.stdout?.once('data', () => (timer = setTimeout(() => one.kill('SIGKILL'), afterMs)));
    one.stdout?.resume();
    const [code] = (await once(one, 'exit')) as [number | null];
    clearTimeout(timer);
    return code !== null;
  };

  const disturbed = async (): Promise<Ledger> => {
    const next = random(seedOf('HELIOS_KILLS_SEED', 20_261_120));
    await mkdir(path.join(folder, 'rough', 'work'), { recursive: true });
    let killed = (await runFor(next() * 300, goal)) ? 0 : 1;
    while (killed > 0 && killed < kills && !(await runFor(next() * 300, '--continue'))) killed += 1;
    // A slow machine gets further between two kills; a session that was hardly disturbed proves
    // nothing.
    assert.ok(killed >= kills / 2, `it was killed only ${killed} times`);
    if (killed === kills) await runFor(100_000, '--continue');
    return ledgerOf('rough');
  };

  it('gives the same ledger when its process is killed again and again at random points', async () => {
    const [calm, rough] = await Promise.all([undisturbed(), disturbed()]);
    assert.equal(calm.rows.length, rates.length);
    assert.deepEqual(essence(rough), essence(calm));
    assert.equal((await readdir(path.join(folder, 'rough', 'home', 'runs'))).length, rates.length);
    for (const rate of rates) {
      assert.equal(
        await readFile(path.join(folder, 'rough', 'work', `started-${rate}`), 'utf8'),
        'x\n',
        `lr=${rate}`,
      );
    }
  });
});
