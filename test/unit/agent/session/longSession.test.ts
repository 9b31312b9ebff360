import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { isSessionId } from '../../../../src/base/ids.ts';
import type { SessionReading } from '../../../../src/agent/contract/sessions.ts';
import type { JournalEvent } from '../../../../src/agent/journal/events.ts';
import type { LongWork, Shown } from '../../../fakes/longResearcher.ts';
import { random, seedOf } from '../../../fakes/random.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { testEngine } from '../../../fakes/testEngine.ts';
import { amountOf } from '../../../setup/needs.ts';

const bigLines = 10_000;
const turns = amountOf('HELIOS_LONG_TURNS', 100, 300);
const kills = amountOf('HELIOS_KILLS', 2, 4);
const work: LongWork = {
  goal: 'bring loss < 0.01 with care for the small things',
  steps: turns,
  stepsPerRun: 50,
  bigFile: 'big.txt',
  bigLines,
  windowTokens: 60_000,
};

/** The same runs and nothing between them: what the long session's ledger must be in the end. */
const onlyRuns: LongWork = { ...work, steps: (work.steps / work.stepsPerRun) * 3, stepsPerRun: 3 };

/**
 * Ten thousand flushes take their time on a disk; what is killed is a process, and a file in memory
 * outlives it too.
 */
async function fastFolder(): Promise<string> {
  const { bavail, bsize } = await statfs('/dev/shm').catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize > 2 ** 30 ? '/dev/shm' : tmpdir();
}

describe('a long session', function () {
  this.timeout(600_000);
  let folder: string;
  const children = new Set<ChildProcess>();
  beforeEach(async () => {
    folder = await mkdtemp(path.join(await fastFolder(), 'helios-long-'));
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  /** One process; killed at the request of step `untilStep`, if it comes so far. */
  const live = async (name: string, plan: LongWork, untilStep = Infinity): Promise<Shown[]> => {
    const shown: Shown[] = [];
    const child = fork(path.resolve('test/fakes/longSession.ts'), [
      path.join(folder, name),
      JSON.stringify(plan),
    ]);
    children.add(child);
    child.on('message', (message) => {
      shown.push(message as Shown);
      if ((message as Shown).step >= untilStep) child.kill('SIGKILL');
    });
    await once(child, 'exit');
    children.delete(child);
    return shown;
  };

  const prepared = async (name: string): Promise<string> => {
    await mkdir(path.join(folder, name, 'work'), { recursive: true });
    const line = (index: number): string => `${index} ${'abcdefghij 0.123456 '.repeat(5)}\n`;
    await writeFile(
      path.join(folder, name, 'work', work.bigFile),
      Array.from({ length: bigLines }, (_, index) => line(index)).join(''),
    );
    return name;
  };

  const readingOf = async (name: string): Promise<SessionReading> => {
    const bed = await testEngine(new ScriptedModel([]), { folder: path.join(folder, name) });
    const id = (await readdir(path.join(bed.home, 'sessions'))).find(isSessionId);
    assert.ok(id);
    const reading = await bed.engine.sessions.read(id);
    await bed.engine.close();
    return reading;
  };

  const rows = ({ ledger }: SessionReading) =>
    ledger.rows.map(({ number, label, verdict, isChampion, metrics }) => ({
      ...{ number, label, verdict, isChampion, metrics },
    }));

  const disturbed = async (): Promise<Shown[]> => {
    await prepared('rough');
    const next = random(seedOf('HELIOS_KILLS_SEED', 20_261_121));
    const each = work.steps / kills;
    const shown: Shown[] = [];
    for (let kill = 0; kill < kills; kill += 1)
      shown.push(...(await live('rough', work, Math.floor(each * kill + next() * (each - 5)) + 1)));
    return [...shown, ...(await live('rough', work))];
  };

  it(`of ${turns} turns never overflows, keeps its goal, and has the same ledger when it is killed ${kills} times`, async () => {
    const [shown] = await Promise.all([disturbed(), live(await prepared('calm'), onlyRuns)]);
    assert.deepEqual(
      shown.flatMap(({ problem }) => problem ?? []),
      [],
    );
    assert.equal(shown.filter(({ isTooLong }) => isTooLong).length, 0);
    assert.equal(new Set(shown.map(({ step }) => step)).size, work.steps);
    assert.ok(shown.length <= work.steps + 2 * kills, `${shown.length} requests`);
    const [long, short] = await Promise.all([readingOf('rough'), readingOf('calm')]);
    assert.equal(short.state.runs.size, work.steps / work.stepsPerRun);
    assert.deepEqual(rows(long), rows(short));
    const count = (type: JournalEvent['type']): number =>
      long.events.filter((event) => event.type === type).length;
    assert.equal(count('session.resumed'), kills);
    assert.ok(count('context.checkpointed') > turns / 100);
    for (const { spec } of long.state.runs.values())
      assert.equal(
        await readFile(path.join(folder, 'rough', 'work', `started-${spec.number}`), 'utf8'),
        'x\n',
      );
  });
});
