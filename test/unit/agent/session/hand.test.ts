import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import type { JournalEvent } from '../../../../src/agent/journal/events.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { ScriptedModel, type Script, type ScriptedReply } from '../../../fakes/scriptedModel.ts';
import { settled } from '../../../fakes/settled.ts';
import {
  eventsOf,
  eventually,
  testEngine,
  until,
  type TestEngine,
  type TestEngineOptions,
} from '../../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
const timer = (seconds: number) => [
  { name: 'sleep', input: { reason: 'later', wake_conditions: [{ type: 'timer', seconds }] } },
];
const launch = (command: string) => ({ name: 'remote_exec_background', input: { command } });

/** Calls `act` once, while the first event of the type is being told: nothing can come between. */
function upon(
  session: Session,
  type: JournalEvent['type'],
  act: () => Promise<unknown>,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const listening = session.onDidRecord((event) => {
      if (event.type !== type) return;
      listening.dispose();
      act().then(resolve, reject);
    });
  });
}

describe('the hand of the user', () => {
  let bed: TestEngine | undefined;
  const begin = async (
    script: Script | readonly ScriptedReply[],
    options: TestEngineOptions = {},
  ) => {
    const model = new ScriptedModel(script);
    bed = await testEngine(model, options);
    return { model, session: await bed.start() };
  };
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  it('reaches a model that chose to sleep while something was said', async () => {
    let answer: (reply: ScriptedReply) => void = () => undefined;
    const { model, session } = await begin((_request, index) =>
      index === 0 ? new Promise<ScriptedReply>((resolve) => (answer = resolve)) : quit,
    );
    await until(() => model.requests.length === 1);
    await session.say('use seed 7');
    answer(timer(3600));
    assert.equal(await session.ended, 'blocked');
    assert.match(JSON.stringify(model.requests[1]?.messages.at(-1)), /use seed 7/);
    assert.equal(eventsOf(session, 'sleep.ended')[0]?.why, 'person');
  });

  it('is seen before a finish that did not know of it', async () => {
    let answer: (reply: ScriptedReply) => void = () => undefined;
    const { model, session } = await begin((_request, index) =>
      index === 0 ? new Promise<ScriptedReply>((resolve) => (answer = resolve)) : quit,
    );
    await until(() => model.requests.length === 1);
    await session.say('one more run, please');
    answer(quit);
    assert.equal(await session.ended, 'blocked');
    assert.equal(model.requests.length, 2);
    assert.match(eventsOf(session, 'tool.finished')[0]?.text ?? '', /sent a message or an answer/);
    assert.match(JSON.stringify(model.requests[1]?.messages.at(-1)), /one more run, please/);
  });

  for (const how of ['interrupt', 'stop'] as const) {
    it(`holds when ${how} comes between a reply and its calls, also after more was said`, async () => {
      const { model, session } = await begin([
        'hang',
        [{ name: 'write_file', input: { path: 'a.txt', content: 'x' } }],
        quit,
      ]);
      await until(() => model.requests.length === 1);
      await session.interrupt();
      const done = upon(session, 'model.replied', () => session[how]());
      await session.say('go on');
      await done;
      assert.equal(session.state.phase, how === 'stop' ? 'ended' : 'paused');
      await session.say('do not write that file');
      assert.equal(await session.ended, 'blocked');
      const [first] = eventsOf(session, 'tool.finished');
      assert.equal(first?.isError, true);
      assert.match(first.text, /^Interrupted/);
      assert.equal(
        eventsOf(session, 'tool.started').filter((event) => event.name === 'write_file').length,
        0,
      );
    });

    it(`holds when ${how} comes while a wake is being recorded`, async () => {
      const clock = new ManualClock();
      const { model, session } = await begin([timer(60), 'hang'], { clock });
      await eventually(session, 'sleep.started');
      // The heartbeat of the lease, the requests of other processes, and the sleep.
      await until(() => session.state.phase === 'sleeping' && clock.pendingTimers > 2);
      const done = upon(session, 'sleep.ended', () => session[how]());
      await clock.advance(61_000);
      await done;
      await settled(session.folder);
      assert.equal(session.state.phase, how === 'stop' ? 'ended' : 'paused');
      assert.equal(eventsOf(session, 'sleep.ended').length, 1);
      assert.ok(model.requests.length <= 2);
      assert.equal(
        session.events().at(-1)?.type,
        how === 'stop' ? 'session.ended' : 'session.paused',
      );
    });
  }

  it('ends a sleep once when a wake and a message come together', async () => {
    const clock = new ManualClock();
    const { model, session } = await begin([timer(60), quit], { clock });
    await eventually(session, 'sleep.started');
    await until(() => clock.pendingTimers > 2);
    const said = session.say('good morning');
    await clock.advance(61_000);
    await said;
    assert.equal(await session.ended, 'blocked');
    assert.equal(eventsOf(session, 'sleep.ended').length, 1);
    assert.match(JSON.stringify(model.requests[1]?.messages.at(-1)), /good morning/);
  });

  it('wins over an interruption that it follows at once', async () => {
    const { model, session } = await begin(['hang', quit]);
    await until(() => model.requests.length === 1);
    await Promise.all([session.interrupt(), session.say('another way')]);
    assert.equal(await session.ended, 'blocked');
    assert.match(JSON.stringify(model.requests[1]?.messages), /another way/);
  });

  it('opens a session again that ends at that moment, with an end to wait for', async () => {
    const { session } = await begin([quit, 'hang']);
    const said = upon(session, 'session.ended', () => session.say('not yet'));
    await said;
    let reason: string | undefined;
    void session.ended.then((value) => (reason = value));
    await until(() => session.state.phase === 'thinking');
    assert.equal(reason, undefined);
    await session.stop();
    assert.equal(await session.ended, 'user');
  });

  it('interrupts without waiting while an approval is asked for that nobody withdraws', async () => {
    const asked = Promise.withResolvers<void>();
    const { session } = await begin(
      [[{ name: 'write_file', input: { path: 'a.txt', content: 'x' } }]],
      {
        settings: { permissionMode: 'ask' },
        clock: new ManualClock(),
        approve() {
          asked.resolve();
          return new Promise(() => undefined);
        },
      },
    );
    await asked.promise;
    await session.interrupt();
    assert.equal(session.state.phase, 'paused');
  });

  it('gives two notes that are pinned at once two numbers', async () => {
    const { session } = await begin(['hang']);
    assert.deepEqual((await Promise.all([session.pin('a'), session.pin('b')])).sort(), [1, 2]);
    assert.deepEqual([...session.state.stickies.values()].sort(), ['a', 'b']);
  });

  it('ends every run that goes on when it stops with killRuns', async () => {
    const { session } = await begin([[launch('sleep 60')], 'hang']);
    await eventually(session, 'run.started');
    await until(() => session.state.phase === 'thinking' && session.state.turns === 2);
    await session.stop({ killRuns: true });
    assert.equal(session.state.end?.reason, 'user');
    const ends = session
      .events()
      .filter(({ type }) => type === 'run.ended' || type === 'session.ended');
    assert.deepEqual(
      ends.map(({ type }) => type),
      ['run.ended', 'session.ended'],
    );
    assert.equal(eventsOf(session, 'run.ended')[0]?.verdict.kind, 'killed');
  });
});
