import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { afterEach, describe, it } from 'mocha';
import type { Budget } from '../../../../src/agent/journal/events.ts';
import { UserFacing } from '../../../../src/base/errors.ts';
import { newSessionId } from '../../../../src/base/ids.ts';
import type { Effort } from '../../../../src/models/effort.ts';
import { homeAt } from '../../../../src/storage/home.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { ScriptedModel, type ScriptedReply } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, until, type TestEngine } from '../../../fakes/testEngine.ts';

const quit: ScriptedReply = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];

describe('what a user chooses for a session', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  it('is recorded when it changes something, and only then', async () => {
    bed = await testEngine(new ScriptedModel(['hang']));
    const session = await bed.start();
    await session.useModel('demo', 'scripted-1');
    await session.useEffort(undefined);
    for (const effort of ['high', 'high', undefined, undefined] as const)
      await session.useEffort(effort);
    assert.deepEqual(eventsOf(session, 'session.model_changed'), []);
    assert.deepEqual(
      eventsOf(session, 'session.effort_changed').map(({ effort }) => effort),
      ['high', undefined],
    );
  });

  const efforts: readonly [of: readonly Effort[] | undefined, sent: (Effort | undefined)[]][] = [
    [
      ['low', 'high'],
      ['high', 'low'],
    ],
    [[], [undefined, undefined]],
    [undefined, ['xhigh', 'minimal']],
  ];
  for (const [levels, sent] of efforts)
    it(`is sent as ${sent.join(' and ')} to a model with the efforts ${levels?.join(' ')}`, async () => {
      const model = new ScriptedModel([[{ name: 'memory_ls', input: {} }], quit]);
      const [described] = model.models();
      assert.ok(described);
      model.models = () => [{ ...described, ...(levels && { efforts: levels }) }];
      bed = await testEngine(model, { settings: { effort: 'xhigh' } });
      const session = await bed.start();
      await session.ended;
      await session.useEffort('minimal');
      await session.say('once more');
      await session.ended;
      assert.deepEqual([model.requests[0]?.effort, model.requests.at(-1)?.effort], sent);
    });

  const wrong: readonly (readonly [name: string, budget: Budget, limit: string])[] = [
    ['none at all', { usd: 0 }, 'usd'],
    ['less than none', { tokens: -1 }, 'tokens'],
    ['endless', { minutes: Infinity }, 'minutes'],
    ['no number', { turns: Number.NaN }, 'turns'],
    ['a text', { turns: '5' as unknown as number }, 'turns'],
    ['none of an experiment', { experiment: { turns: 0 } }, 'turns'],
  ];
  for (const [name, budget, limit] of wrong)
    it(`is refused as a limit when it is ${name}`, async () => {
      bed = await testEngine(new ScriptedModel([quit]));
      const isRefusal = (error: unknown): boolean =>
        error instanceof UserFacing &&
        error.message.startsWith(`The limit ${limit} must be a number above 0`);
      await assert.rejects(bed.start({ budget }), isRefusal);
      assert.deepEqual(await bed.engine.sessions.list(), []);
      const session = await bed.start();
      await session.ended;
      await assert.rejects(bed.engine.sessions.resume(session.id, { budget }), isRefusal);
      assert.deepEqual(session.state.budget, {});
    });

  it('leaves nothing behind of a session that is not there', async () => {
    bed = await testEngine(new ScriptedModel([]));
    const home = homeAt(bed.home);
    await assert.rejects(bed.engine.sessions.resume(newSessionId(1)), /There is no session s-/);
    await assert.rejects(bed.engine.sessions.read(newSessionId(1)), /There is no session s-/);
    assert.deepEqual(existsSync(home.sessionsFolder) ? readdirSync(home.sessionsFolder) : [], []);
  });

  it('begins nothing without a goal, and leaves nothing behind once Helios closes', async () => {
    bed = await testEngine(new ScriptedModel([quit]));
    await assert.rejects(bed.start({ goal: ' \n ' }), /The goal is empty/);
    await bed.engine.close();
    await assert.rejects(bed.start(), /Helios is closing/);
    bed = await bed.restart(new ScriptedModel([quit]));
    assert.deepEqual(await bed.engine.sessions.list(), []);
    assert.deepEqual(await bed.engine.sessions.interrupted(), []);
  });
});

describe('a reply that only talks', () => {
  let bed: TestEngine | undefined;
  afterEach(() => bed?.dispose());

  it('needs no reminder where the user spoke meanwhile', async () => {
    let hear = (): void => undefined;
    const heard = new Promise<void>((resolve) => (hear = resolve));
    const model = new ScriptedModel(async (_request, index) => {
      if (index === 0) await heard;
      return index < 2 ? 'Shall I?' : quit;
    });
    bed = await testEngine(model);
    const session = await bed.start();
    await until(() => model.requests.length === 1);
    await session.say('yes');
    hear();
    await session.ended;
    const origins = eventsOf(session, 'message.added').map(({ origin }) => origin);
    assert.deepEqual(origins, ['goal', 'person', 'reminder']);
  });
});

describe('a reply that was cut', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });
  const cut: ScriptedReply = { text: 'half a thou', reply: { stop: 'length' } };
  const monitor = { name: 'start_monitor', input: { goal: 'watch', interval_minutes: 5 } };

  it('is told to be, and is gone on with at once, also where a monitor waits for its next check-in', async () => {
    const model = new ScriptedModel([cut, [monitor], cut, quit]);
    bed = await testEngine(model, { clock: new ManualClock() });
    const session = await bed.start();
    await until(() => session.state.phase === 'ended' || session.state.phase === 'sleeping');
    assert.equal(session.state.end?.reason, 'blocked');
    const reminders = eventsOf(session, 'message.added').filter(
      ({ origin }) => origin === 'reminder',
    );
    assert.equal(reminders.length, 2);
    for (const { text } of reminders)
      assert.match(text, /^The reply was truncated at the output limit/);
  });

  it('is another than one that only talks, which waits for the check-in of the monitor', async () => {
    bed = await testEngine(new ScriptedModel(['Shall I?', [monitor], 'Nothing new.']), {
      clock: new ManualClock(),
    });
    const session = await bed.start();
    await until(() => session.state.phase === 'ended' || session.state.phase === 'sleeping');
    assert.equal(session.state.sleep?.isCheckIn, true);
    const [reminder, ...more] = eventsOf(session, 'message.added').filter(
      ({ origin }) => origin === 'reminder',
    );
    assert.deepEqual(more, []);
    assert.doesNotMatch(reminder?.text ?? '', /truncated at the output limit/);
  });
});
