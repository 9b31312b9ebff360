import assert from 'node:assert/strict';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import { newEventId } from '../../../../src/base/ids.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { ScriptedModel, type Script, type ScriptedReply } from '../../../fakes/scriptedModel.ts';
import {
  eventsOf,
  eventually,
  testEngine,
  until,
  type TestEngine,
  type TestEngineOptions,
} from '../../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
const launch = (command: string) => ({
  name: 'remote_exec_background',
  input: { command, metric_names: ['loss', 'grad_norm'] },
});
const forever = 'while [ ! -e stop ]; do sleep 0.05; done';
const untilLater = [
  { name: 'sleep', input: { reason: 'r', wake_conditions: [{ type: 'timer', seconds: 36_000 }] } },
];
const untilEnd = [
  {
    name: 'sleep',
    input: {
      reason: 'r',
      wake_conditions: [{ type: 'process_exit', run: 1 }],
      deadline_minutes: 600,
    },
  },
];
/** A training with a child, both of which have to go. */
const diverging = `sleep 300 & echo step=1 loss=2.0; echo step=2 loss=1.5; echo step=3 loss=nan; ${forever}`;
/**
 * Before what raises an alarm: a request that is under way would tell of it, and the agent then
 * sleeps on.
 */
const onceAsleep = 'while [ ! -e asleep ]; do sleep 0.02; done';
const lastMessages = (model: ScriptedModel): string =>
  JSON.stringify(model.requests.at(-1)?.messages);

describe('watchdogs', () => {
  let bed: TestEngine | undefined;
  const begin = async (
    script: Script | readonly ScriptedReply[],
    options: TestEngineOptions = {},
  ) => {
    const model = new ScriptedModel(script);
    bed = await testEngine(model, options);
    return { model, session: await bed.start({ goal: 'train a model' }) };
  };
  const goOnAsleep = async (session: Session): Promise<void> => {
    await eventually(session, 'sleep.started');
    await writeFile(path.join(bed?.work ?? '', 'asleep'), '');
  };
  const shutDown = async (): Promise<void> => {
    if (bed === undefined) return;
    for (const run of bed.engine.runs.all())
      if (run.liveness.kind !== 'ended') await bed.engine.runs.kill(run, { graceMs: 0 });
    await bed.dispose();
    bed = undefined;
  };
  afterEach(shutDown);

  it('kill a run whose loss became NaN, with all its processes, and tell the agent why and what it printed last', async () => {
    const { model, session } = await begin([[launch(diverging)], untilEnd, quit]);
    assert.equal(await session.ended, 'blocked');
    const [alarm] = eventsOf(session, 'run.alarmed');
    assert.deepEqual(
      { kind: alarm?.kind, action: alarm?.action, detail: alarm?.detail },
      { kind: 'non_finite', action: 'kill', detail: 'loss became NaN at step 3' },
    );
    const [ended] = eventsOf(session, 'run.ended');
    assert.deepEqual(ended?.verdict, { kind: 'killed' });
    assert.ok((ended?.at ?? Infinity) - (alarm?.at ?? 0) < 2000);
    const messages = lastMessages(model);
    assert.match(messages, /alarm non_finite: loss became NaN at step 3\. It is being stopped/);
    assert.match(
      messages,
      /- run 1 .* ended: killed after the alarm: loss became NaN at step 3 after/,
    );
    assert.match(messages, /step=3 loss=nan/);
    assert.equal(eventsOf(session, 'sleep.ended').length, 1);
    assert.equal(model.requests.length, 3);
  });

  it('only warn of an infinite gradient, and wake a sleeping agent once', async () => {
    const { model, session } = await begin([
      [
        launch(
          `echo step=1 loss=2 grad_norm=1; ${onceAsleep}; for step in 2 3 4 5; do echo step=$step loss=1 grad_norm=inf; done; ${forever}`,
        ),
      ],
      untilLater,
      quit,
    ]);
    await goOnAsleep(session);
    assert.equal(await session.ended, 'blocked');
    const alarms = eventsOf(session, 'run.alarmed');
    assert.deepEqual(
      alarms.map(({ action, detail }) => [action, detail]),
      [['warn', 'grad_norm became infinite at step 4']],
    );
    assert.deepEqual(
      eventsOf(session, 'sleep.ended').map(({ why }) => why),
      ['alarm'],
    );
    assert.equal(bed?.engine.runs.all()[0]?.liveness.kind, 'running');
    assert.match(
      lastMessages(model),
      /alarm non_finite: grad_norm became infinite at step 4\. It continues/,
    );
    assert.match(lastMessages(model), /Woke after [^:]*: alarm: /);
    assert.equal(model.requests.length, 3);
  });

  it('wake an agent that chose to sleep while the alarm came', async () => {
    let answer: (reply: ScriptedReply) => void = () => undefined;
    const { model, session } = await begin((_request, index) => {
      if (index === 0)
        return [
          launch(
            `echo loss=1 grad_norm=1; for step in 2 3 4; do echo loss=1 grad_norm=nan; done; ${forever}`,
          ),
        ];
      return index === 1 ? new Promise<ScriptedReply>((resolve) => (answer = resolve)) : quit;
    });
    await until(() => model.requests.length === 2);
    await eventually(session, 'run.alarmed');
    // It may have been recorded before the request was made, which then tells of it: only a later
    // one is unheard.
    const isUnheard =
      session.events().findLastIndex(({ type }) => type === 'model.requested') <
      session.events().findLastIndex(({ type }) => type === 'run.alarmed');
    answer(isUnheard ? untilLater : quit);
    assert.equal(await session.ended, 'blocked');
    assert.equal(
      eventsOf(session, 'sleep.ended').filter(({ why }) => why === 'alarm').length,
      isUnheard ? 1 : 0,
    );
    assert.match(lastMessages(model), /grad_norm became NaN/);
  });

  it('ask a user where the policy says so, and kill when the answer is kill', async () => {
    const { session } = await begin([[launch(`${onceAsleep}; ${diverging}`)], untilLater, quit], {
      settings: { watchdogs: { non_finite: 'ask' } },
    });
    await goOnAsleep(session);
    const asked = await eventually(session, 'question.asked');
    assert.deepEqual(asked.options, ['kill', 'let it run']);
    assert.equal(asked.fallback, 'let it run');
    assert.match(asked.text, /^Run 1 \(.*\): loss became NaN at step 3\. Kill it\?$/);
    assert.equal(bed?.engine.runs.all()[0]?.liveness.kind, 'running');
    await session.answer(asked.questionId, 'kill');
    const ended = await eventually(session, 'run.ended');
    assert.deepEqual(ended.verdict, { kind: 'killed' });
    assert.equal(await session.ended, 'blocked');
  });

  it('let a run go on when nobody answers', async () => {
    const clock = new ManualClock();
    const { session } = await begin([[launch(diverging)], untilLater, 'hang'], {
      settings: { watchdogs: { non_finite: 'ask' } },
      clock,
    });
    await eventually(session, 'question.asked');
    await clock.advance(61 * 60_000);
    const answered = await eventually(session, 'question.answered');
    assert.deepEqual([answered.answer, answered.by], ['let it run', 'default']);
    assert.equal(eventsOf(session, 'run.ended').length, 0);
    assert.equal(bed?.engine.runs.all()[0]?.liveness.kind, 'running');
  });

  it('take a question back whose run is over', async () => {
    const untilItIsOver: Script = ({ messages }, index) => {
      if (index === 0) return [launch(diverging)];
      return JSON.stringify(messages).includes('ended: ') ? quit : untilEnd;
    };
    const { model, session } = await begin(untilItIsOver, {
      settings: { watchdogs: { non_finite: 'ask' } },
    });
    const { questionId } = await eventually(session, 'question.asked');
    await writeFile(path.join(bed?.work ?? '', 'stop'), '');
    const answered = await eventually(session, 'question.answered');
    const { answer, by, why } = answered;
    assert.deepEqual(
      { answer, by, why },
      { answer: 'let it run', by: 'default', why: 'run 1 is over: ok' },
    );
    await assert.rejects(session.answer(questionId, 'kill'), /is already answered/);
    assert.equal(await session.ended, 'blocked');
    assert.match(lastMessages(model), /Question q1 no longer matters: run 1 is over: ok\./);
  });

  it('do nothing where they are off', async () => {
    const { session } = await begin(
      [[launch(diverging.replace(forever, 'echo done'))], untilEnd, quit],
      {
        settings: { watchdogs: { non_finite: 'off' } },
      },
    );
    assert.equal(await session.ended, 'blocked');
    assert.equal(eventsOf(session, 'run.alarmed').length, 0);
    assert.deepEqual(eventsOf(session, 'run.ended')[0]?.verdict, { kind: 'ok' });
  });

  it('tell of settings that cannot be understood before anything begins', async () => {
    await assert.rejects(
      begin(['hang'], { settings: { watchdogs: { divergence: { deviations: 'many' } } } }),
      (error: Error) => /watchdogs.divergence.deviations must be a number/.test(error.message),
    );
  });

  it('let the project say otherwise than the user', async () => {
    bed = await testEngine(
      new ScriptedModel([[launch(`${onceAsleep}; ${diverging}`)], untilLater, quit]),
    );
    await appendFile(
      path.join(bed.work, 'helios.json'),
      JSON.stringify({ watchdogs: { non_finite: 'warn' } }),
    );
    const session = await bed.start({ goal: 'train a model' });
    await goOnAsleep(session);
    assert.equal(await session.ended, 'blocked');
    assert.equal(eventsOf(session, 'run.alarmed')[0]?.action, 'warn');
    assert.equal(bed.engine.runs.all()[0]?.liveness.kind, 'running');
  });

  it('tell that a run is silent, once, and again only after it has spoken', async () => {
    const clock = new ManualClock();
    const command = `echo loss=1; while [ ! -e speak ]; do sleep 0.02; done; echo loss=0.9; ${forever}`;
    const { session } = await begin(
      [[launch(command)], untilLater, untilLater, untilLater, 'hang'],
      {
        settings: { watchdogs: { silence: { minutes: 10 } } },
        clock,
      },
    );
    await until(() => session.state.phase === 'sleeping');
    const run = bed?.engine.runs.all()[0];
    await until(() => run?.metrics.summary('loss')?.count === 1);
    const silences = () =>
      eventsOf(session, 'run.alarmed').filter(({ kind }) => kind === 'silence').length;
    const pass = async (minutes: number): Promise<void> => {
      for (let quarter = 0; quarter < 4 * minutes; quarter += 1) await clock.advance(15_000);
    };
    await pass(9);
    assert.equal(silences(), 0);
    await pass(2);
    await eventually(session, 'run.alarmed');
    await pass(3);
    assert.equal(silences(), 1);
    await appendFile(path.join(bed?.work ?? '', 'speak'), '');
    await until(() => run?.metrics.summary('loss')?.count === 2);
    await pass(20);
    assert.equal(silences(), 1);
    await pass(10);
    await until(() => silences() === 2);
  });

  describe('after a restart', () => {
    it('repeat no alarm that is in the journal, and judge what was read before', async () => {
      const { session } = await begin([
        [
          launch(
            `echo step=1 loss=1 grad_norm=1; ${onceAsleep}; for step in 2 3 4; do echo step=$step loss=1 grad_norm=inf; done; ${forever}`,
          ),
        ],
        untilLater,
        untilLater,
      ]);
      await goOnAsleep(session);
      await eventually(session, 'run.alarmed');
      await until(() => eventsOf(session, 'sleep.started').length === 2);
      assert.ok(bed);
      bed = await bed.restart(new ScriptedModel(['hang']));
      const again = await bed.engine.sessions.resume(session.id);
      await until(() => bed?.engine.runs.all()[0]?.liveness.kind === 'running');
      assert.equal(again.state.phase, 'sleeping');
      assert.equal(eventsOf(again, 'run.alarmed').length, 1);
    });

    it('kill what became NaN while nobody looked, and wake the agent once', async () => {
      const { session } = await begin([
        [launch(`echo loss=1; while [ ! -e go ]; do sleep 0.02; done; ${diverging}`)],
        untilEnd,
      ]);
      await eventually(session, 'sleep.started');
      assert.ok(bed);
      await bed.engine.close();
      await appendFile(path.join(bed.work, 'go'), '');
      bed = await bed.restart(new ScriptedModel([quit]));
      const again = await bed.engine.sessions.resume(session.id);
      assert.equal(await again.ended, 'blocked');
      assert.equal(eventsOf(again, 'run.alarmed')[0]?.detail, 'loss became NaN at step 3');
      assert.deepEqual((await eventually(again, 'run.ended')).verdict, { kind: 'killed' });
      assert.equal(eventsOf(again, 'sleep.ended').length, 1);
    });

    it('kill what an earlier process recorded as to be killed', async () => {
      const { session } = await begin([[launch(`echo loss=1; ${forever}`)], untilEnd]);
      await eventually(session, 'sleep.started');
      const runId = session.state.runs.keys().next().value;
      assert.ok(bed);
      await bed.engine.close();
      const alarm = {
        type: 'run.alarmed',
        runId,
        kind: 'non_finite',
        detail: 'loss became NaN',
        action: 'kill',
      };
      const line = { v: 1, id: newEventId(Date.now()), at: Date.now(), ...alarm };
      await appendFile(path.join(session.folder, 'journal.jsonl'), `${JSON.stringify(line)}\n`);
      bed = await bed.restart(new ScriptedModel([quit]));
      const again = await bed.engine.sessions.resume(session.id);
      const ended = await eventually(again, 'run.ended');
      assert.deepEqual(ended.verdict, { kind: 'killed' });
      assert.equal(eventsOf(again, 'run.alarmed').length, 1);
      assert.match(
        await readFile(path.join(session.folder, 'journal.jsonl'), 'utf8'),
        /"kind":"killed"/,
      );
      assert.equal(await again.ended, 'blocked');
    });
  });
});
