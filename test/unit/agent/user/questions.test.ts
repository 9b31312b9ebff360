import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { describeEvent } from '../../../../src/agent/journal/describeEvent.ts';
import { openQuestions } from '../../../../src/agent/user/questions.ts';
import { UserFacing } from '../../../../src/base/errors.ts';
import { EventText } from '../../../../src/cli/screen/eventText.ts';
import { plainStyle } from '../../../../src/cli/screen/style.ts';
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

const minuteMs = 60_000;
const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
const sleepFor = (seconds: number) => [
  { name: 'sleep', input: { reason: 'later', wake_conditions: [{ type: 'timer', seconds }] } },
];
const ask = (input: object = {}) => ({
  name: 'ask_user',
  input: {
    question: 'Use both GPUs?',
    options: ['yes', 'no'],
    default: 'no',
    deadline_minutes: 30,
    ...input,
  },
});

describe('the inbox', () => {
  let bed: TestEngine | undefined;
  const begin = async (
    script: Script | readonly ScriptedReply[],
    options: TestEngineOptions = {},
  ) => {
    const model = new ScriptedModel(script);
    bed = await testEngine(model, options);
    return { bed, model, session: await bed.start() };
  };
  const lastSaid = (model: ScriptedModel): string =>
    JSON.stringify(model.requests.at(-1)?.messages.at(-1));
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  it('takes a question without holding the work up', async () => {
    const { model, session } = await begin([[ask()], quit]);
    assert.equal(await session.ended, 'blocked');
    assert.match(lastSaid(model), /q1.*default.*no/);
    assert.equal(openQuestions(session.state)[0]?.text, 'Use both GPUs?');
  });

  it('wakes a sleeping session with the answer', async () => {
    const { model, session } = await begin([[ask()], sleepFor(3_600), quit]);
    await eventually(session, 'sleep.started');
    await session.answer('q1', ' yes ');
    assert.equal(await session.ended, 'blocked');
    assert.match(lastSaid(model), /The user answered question q1:\\nyes/);
    assert.equal(session.state.questions.get('q1')?.answer?.by, 'person');
  });

  it('takes the default at the deadline, without waking anybody', async () => {
    const clock = new ManualClock();
    const { model, session } = await begin([[ask()], sleepFor(7_200), quit], { clock });
    await eventually(session, 'sleep.started');
    await clock.advance(31 * minuteMs);
    await until(() => session.state.questions.get('q1')?.answer !== undefined);
    assert.deepEqual(session.state.questions.get('q1')?.answer, { text: 'no', by: 'default' });
    assert.equal(session.state.phase, 'sleeping');
    await clock.advance(120 * minuteMs);
    // The alarm may be set only now, on a busy machine: it rings at the next move of the clock.
    await until(() => {
      void clock.advance(0);
      return session.state.phase === 'ended';
    });
    assert.equal(await session.ended, 'blocked');
    assert.match(lastSaid(model), /Nobody answered question q1 in time; its default applies: no/);
  });

  it('takes the default of a deadline that passed while nobody was there', async () => {
    const clock = new ManualClock();
    const begun = await begin([[ask()], sleepFor(7_200)], { clock });
    await eventually(begun.session, 'sleep.started');
    await begun.bed.engine.close();
    await clock.advance(60 * minuteMs);
    bed = await begun.bed.restart(new ScriptedModel([quit]));
    const session = await bed.engine.sessions.resume(begun.session.id);
    await until(() => {
      void clock.advance(0);
      return session.state.questions.get('q1')?.answer?.by === 'default';
    });
    assert.equal(eventsOf(session, 'question.asked').length, 1);
  });

  it('refuses what cannot be answered, and loses nothing', async () => {
    const { session } = await begin([[ask()], sleepFor(3_600), quit]);
    await eventually(session, 'sleep.started');
    await assert.rejects(session.answer('q7', 'yes'), /no question q7/);
    await assert.rejects(session.answer('q1', '  '), /empty/);
    await session.answer('q1', 'yes');
    await session.ended;
    await assert.rejects(
      session.answer('q1', 'no'),
      (error) => error instanceof UserFacing && /yes/.test(error.message),
    );
    assert.equal(eventsOf(session, 'question.answered').length, 1);
  });

  it('refuses a default that is none of the choices', async () => {
    const { model, session } = await begin([[ask({ default: 'maybe' })], quit]);
    await session.ended;
    assert.match(lastSaid(model), /must be one of the options: yes, no/);
    assert.equal(session.state.questions.size, 0);
  });
});

describe('a paused session', () => {
  it('goes on when it is told to, and only then', async () => {
    const model = new ScriptedModel((_request, index) => (index === 0 ? 'hang' : quit));
    const bed = await testEngine(model);
    try {
      const session = await bed.start();
      await until(() => model.requests.length === 1);
      await session.interrupt();
      assert.equal(session.state.phase, 'paused');
      await session.unpause();
      assert.equal(await session.ended, 'blocked');
      const said = eventsOf(session, 'message.added').at(-1);
      assert.ok(said);
      const shown = describeEvent(said, session.state);
      assert.deepEqual(
        [shown?.kind, shown?.title, shown?.detail],
        ['resume', 'Continued by you', undefined],
      );
      const printed = new EventText(plainStyle).linesOf(said, session.state);
      assert.deepEqual(printed, ['Continued by you']);
      const asked = JSON.stringify(model.requests[1]?.messages.at(-1));
      assert.match(asked, /Continue the work\./);
      assert.doesNotMatch(asked, /Message from the user/);
      await session.unpause();
      assert.equal(session.state.phase, 'ended');
    } finally {
      await bed.dispose();
    }
  });
});
