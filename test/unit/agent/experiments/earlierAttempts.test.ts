import assert from 'node:assert/strict';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { EarlierAttempts } from '../../../../src/agent/experiments/earlierAttempts.ts';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import type { SessionId } from '../../../../src/base/ids.ts';
import { silentLogger } from '../../../../src/base/logger.ts';
import { attemptKeys, type Attempt } from '../../../../src/experiments/duplicates.ts';
import { SessionIndex } from '../../../../src/storage/sessionIndex.ts';
import { GitRepo } from '../../../fakes/gitRepo.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { bestProcessorMs } from '../../../fakes/proportion.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';
import { ScriptedModel, type ScriptedCall } from '../../../fakes/scriptedModel.ts';
import { assetsFolder, eventsOf, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const launch = (command: string, more: Readonly<Record<string, unknown>> = {}): ScriptedCall => ({
  name: 'remote_exec_background',
  input: { command, metric_names: ['loss'], ...more },
});
const untilOver: ScriptedCall = {
  name: 'sleep',
  input: { reason: 'r', wake_conditions: [{ type: 'process_exit', run: 1 }], deadline_minutes: 5 },
};
const keep: ScriptedCall = {
  name: 'exp_decide',
  input: { experiment: 'e1', decision: 'keep', why: 'a first result' },
};
const quit: ScriptedCall = { name: 'finish', input: { outcome: 'blocked', summary: 'ok' } };

describe('what earlier sessions tried', () => {
  const folder = scratchFolder();
  let bed: TestEngine;
  let repo: GitRepo;
  const nights: ScriptedCall[] = [];
  beforeEach(async () => {
    nights.length = 0;
    repo = GitRepo.create(path.join(folder(), 'work'), { 'train.sh': 'echo loss=0.5\n' });
    const model = new ScriptedModel((_request, index) => [nights[index] ?? quit]);
    bed = await testEngine(model, { folder: folder() });
  });
  afterEach(() => bed.dispose());

  const night = async (...calls: readonly ScriptedCall[]): Promise<Session> => {
    nights.push(...calls, quit);
    const session = await bed.start();
    assert.equal(await session.ended, 'blocked');
    return session;
  };
  const said = (session: Session, index = 0): { text: string; isError: boolean } => {
    const { text = '', isError = false } = eventsOf(session, 'tool.finished')[index] ?? {};
    return { text, isError };
  };

  it('is refused where its result is known, and made again on purpose', async () => {
    const first = await night(
      launch('sh train.sh --lr 0.1 --seed 1', { hypothesis: 'small steps' }),
      untilOver,
      keep,
    );
    const second = await night(
      launch('sh  train.sh --seed 1 --lr "0.1"'),
      launch('sh train.sh --lr 0.1 --seed 1', { retest: 'the data is new' }),
    );
    const refused = said(second);
    assert.ok(refused.isError);
    const told = `experiment e1 of session ${first.id} ran the same: "small steps": 1 ok, loss 0.5; keep (provisional): a first result`;
    assert.ok(refused.text.includes(told), refused.text);
    assert.equal(eventsOf(second, 'run.planned').length, 1);
    assert.deepEqual(eventsOf(second, 'experiment.planned')[0]?.plan.retest, {
      of: `e1 of session ${first.id}`,
      why: 'the data is new',
    });
    assert.match(said(second, 1).text, /"note":"Earlier: experiment e1 of session/);
  });

  it('is advice where the seed is another one, or nothing was measured', async () => {
    await night(launch('sh train.sh --seed 1'), untilOver);
    await night(launch('sleep 0; true'), untilOver);
    const third = await night(launch('sh train.sh --seed 2'), launch('sleep 0; true'));
    const [seed, unknown] = [said(third), said(third, 1)];
    assert.deepEqual([seed.isError, unknown.isError], [false, false]);
    assert.match(
      seed.text,
      /Earlier: experiment e1 of session \S+ ran the same with another seed: .*loss 0\.5; not decided/,
    );
    assert.match(
      unknown.text,
      /Earlier: experiment e1 of session \S+ ran the same: .*1 ok; not decided/,
    );
  });

  it('says nothing of other code', async () => {
    await night(launch('sh train.sh'), untilOver);
    repo.write({ 'train.sh': 'echo loss=0.4\n' });
    const second = await night(launch('sh train.sh'));
    assert.equal(said(second).isError, false);
    assert.ok(!said(second).text.includes('Earlier'));
  });

  it('tells of results that were brought in of the commit', async () => {
    const commit = repo.git('rev-parse', 'HEAD').slice(0, 7);
    const first = await night();
    const tsv = `commit\tloss\tmemory_gb\tstatus\tdescription\n${commit}\t0.450000\t1.0\tdiscard\twarm up\n`;
    await first.importResults(tsv, 'results.tsv');
    nights.push(launch('sh train.sh'), quit);
    const again = await bed.engine.sessions.resume(first.id);
    await again.say('go on');
    assert.equal(await again.ended, 'blocked');
    const { text } =
      eventsOf(again, 'tool.finished').find(({ name }) => name === 'remote_exec_background') ?? {};
    assert.match(
      text ?? '',
      /Imported for this commit, not measured here: discard: warm up · loss 0\.45/,
    );
  });

  const attempt = (number: number): Attempt => ({
    command: `python train.py --lr ${number}`,
    cwd: '/work',
    code: { kind: 'git', repo: '/work', tree: 'tree', isDirty: false, leftOut: [] },
  });

  /** Of so many sessions, each of which tried twenty things that no other one tried. */
  const indexOf = async (sessions: number): Promise<SessionIndex> => {
    const index = await SessionIndex.open({
      file: path.join(folder(), `of-${sessions}.db`),
      wasmFile: path.join(assetsFolder, 'sql-wasm.wasm'),
      clock: new ManualClock(),
      logger: silentLogger,
    });
    const counts = {
      journalBytes: 1,
      startedMs: 1,
      lastEventMs: 1,
      turns: 0,
      usd: 0,
      hasUnknownCost: false,
    };
    for (let session = 0; session < sessions; session += 1) {
      const attempts = Array.from({ length: 20 }, (_, number) => ({
        ...attemptKeys(attempt(session * 20 + number)),
        ...{ tree: 'tree', experimentId: `e${number}`, isKnown: true, told: 'as it was' },
      }));
      const id = `s-${String(session).padStart(4, '0')}`;
      index.put({
        ...counts,
        id,
        goal: 'g',
        title: null,
        phase: 'ended',
        endReason: null,
        best: null,
        runs: [],
        attempts,
        folder: '/w',
        experiments: [],
      });
    }
    return index;
  };
  const asked = Array.from({ length: 100 }, (_, point) => attempt(point * 7));
  const own = 's-own' as SessionId;

  it('is what is known after 50 ms of an index that does not come', async () => {
    const index = await indexOf(100);
    const clock = new ManualClock();
    const refresh = (): Promise<void> => new Promise(() => undefined);
    const attemptsLike = index.attemptsLike.bind(index);
    const earlier = new EarlierAttempts({
      index: { refresh, attemptsLike },
      clock,
      logger: silentLogger,
    });
    const found: unknown[] = [];
    const finding = earlier.like(asked, own).then((attempts) => found.push(...attempts));
    await clock.advance(49);
    assert.deepEqual(found, []);
    await clock.advance(1);
    await finding;
    assert.equal(found.length, 50);
    await index.close();
  });

  it('is found among a thousand sessions as soon as among a hundred', async () => {
    const [small, large] = [await indexOf(100), await indexOf(1_000)];
    const seeds = asked.map((each) => attemptKeys(each).seed);
    const bestMs = (index: SessionIndex): number => {
      assert.equal(index.attemptsLike(seeds, own, 50).length, 50);
      return bestProcessorMs(() => {
        for (let times = 0; times < 30; times += 1) index.attemptsLike(seeds, own, 50);
      });
    };
    bestMs(small);
    const few = bestMs(small);
    let many = Infinity;
    // A busy machine adds to the processor time, too; what reads all of them takes ten times as long
    // each time.
    for (let tries = 0; tries < 5 && many >= 3 * few + 10; tries += 1)
      many = Math.min(many, bestMs(large));
    assert.ok(many < 3 * few + 10, `${few} ms, and ${many} ms among ten times as many`);
    await small.close();
    await large.close();
  });
});
