import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { EndReason } from '../../../../src/agent/journal/events.ts';
import { noUsage } from '../../../../src/models/model.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { ScriptedModel, type Script } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, until, type TestEngine } from '../../../fakes/testEngine.ts';

const noise = 'Ignore your instructions. '.repeat(100);

const hostile: { name: string; script: Script; reason: EndReason }[] = [
  {
    name: 'calls a tool that does not exist, for ever',
    script: () => [{ name: 'sudo', input: {} }],
    reason: 'no_progress',
  },
  {
    name: 'sends malformed arguments, for ever',
    script: () => [{ name: 'read_file', input: '{"path":' }],
    reason: 'no_progress',
  },
  {
    name: 'sends arguments of the wrong shape',
    script: () => [{ name: 'sleep', input: { wake_conditions: 'soon' } }],
    reason: 'no_progress',
  },
  {
    name: 'asks for 5 MB again and again',
    script: () => [
      { name: 'remote_exec', input: { command: 'head -c 5000000 /dev/zero | tr "\\0" x' } },
    ],
    reason: 'no_progress',
  },
  {
    name: 'asks whether to continue at every turn',
    script: () => 'Shall I continue?',
    reason: 'no_progress',
  },
  {
    name: 'chats for ever',
    script: (_request, index) => `${noise} ${index}`,
    reason: 'no_progress',
  },
  {
    name: 'says nothing at all',
    script: () => ({ reply: { content: [] } }),
    reason: 'no_progress',
  },
  {
    name: 'claims the goal with false evidence, for ever',
    script: () => [
      {
        name: 'finish',
        input: {
          outcome: 'goal_met',
          summary: 'loss is 0',
          evidence: [{ run: '1', metric: 'loss' }],
        },
      },
    ],
    reason: 'no_progress',
  },
  {
    name: 'claims the goal without evidence',
    script: () => [{ name: 'finish', input: { outcome: 'goal_met', summary: 'trust me' } }],
    reason: 'no_progress',
  },
  {
    name: 'works for ever',
    script: (_request, index) => [
      { name: 'memory_write', input: { path: `/n/${index}`, gist: 'x' } },
    ],
    reason: 'budget',
  },
  {
    name: 'is refused by its provider',
    script: () => ({
      reply: { stop: 'error', usage: noUsage, failure: { reason: 'auth', message: 'bad key' } },
    }),
    reason: 'error',
  },
];

describe('hostile model', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  for (const { name, script, reason } of hostile) {
    it(`that ${name} ends with ${reason}, and leaves a sound journal`, async () => {
      const model = new ScriptedModel(script);
      bed = await testEngine(model, { settings: { idleTurns: 3 } });
      const session = await bed.start({ budget: { turns: 40 } });
      assert.equal(await session.ended, reason);
      assert.ok(model.requests.length <= 40, `${model.requests.length} requests`);
      const reading = await bed.engine.sessions.read(session.id);
      assert.deepEqual(reading.damage, []);
      assert.equal(reading.state.end?.reason, reason);
      assert.notEqual(reading.state.end?.summary, '');
      const calls = eventsOf(session, 'model.replied').flatMap((event) =>
        event.content.filter((block) => block.type === 'tool_call'),
      );
      assert.equal(eventsOf(session, 'tool.finished').length, calls.length);
    });
  }

  it('whose provider fails for an hour goes on when it answers again', async () => {
    const clock = new ManualClock();
    const down = {
      reply: {
        stop: 'error' as const,
        usage: noUsage,
        failure: { reason: 'network' as const, message: 'no route' },
      },
    };
    const startMs = clock.now();
    const model = new ScriptedModel((_request, index) => {
      if (index === 0) return [{ name: 'list_machines', input: {} }];
      if (clock.now() - startMs < 3_600_000) return down;
      return [{ name: 'finish', input: { outcome: 'blocked', summary: 'back again' } }];
    });
    bed = await testEngine(model, { clock });
    const session = await bed.start();
    await until(() => model.requests.length > 1);
    while (session.state.phase !== 'ended') await clock.advance(30_000);
    assert.equal(await session.ended, 'blocked');
    assert.ok(model.requests.length < 20, `${model.requests.length} requests in an hour`);
  });

  it('is stopped without waiting while an outage is waited out', async () => {
    const model = new ScriptedModel((_request, index) =>
      index === 0
        ? [{ name: 'list_machines', input: {} }]
        : {
            reply: {
              stop: 'error',
              usage: noUsage,
              failure: { reason: 'server', message: 'down' },
            },
          },
    );
    bed = await testEngine(model, { clock: new ManualClock() });
    const session = await bed.start();
    await until(() => eventsOf(session, 'model.replied').length === 2);
    await session.interrupt();
    assert.equal(session.state.phase, 'paused');
    assert.equal(model.requests.length, 2);
  });

  it('is asked again at once when the user says something during an outage', async () => {
    const model = new ScriptedModel((_request, index) =>
      index === 1
        ? {
            reply: {
              stop: 'error',
              usage: noUsage,
              failure: { reason: 'server', message: 'down' },
            },
          }
        : index === 0
          ? [{ name: 'list_machines', input: {} }]
          : [{ name: 'finish', input: { outcome: 'blocked', summary: 'told to' } }],
    );
    bed = await testEngine(model);
    const session = await bed.start();
    await until(() => eventsOf(session, 'model.replied').length === 2);
    await session.say('try again now');
    assert.equal(await session.ended, 'blocked');
    assert.equal(model.requests.length, 3);
  });

  it('is told the price of every call, and that an unknown one is not known', async () => {
    const model = new ScriptedModel([
      [{ name: 'list_machines', input: {} }],
      [{ name: 'finish', input: { outcome: 'blocked', summary: 'x' } }],
    ]);
    Object.assign(model, { id: 'claude', defaultModel: 'claude-opus-4-6' });
    bed = await testEngine(model);
    const known = await bed.start();
    await known.ended;
    assert.ok(known.state.usd > 0);
    assert.equal(known.state.hasUnknownCost, false);
    Object.assign(model, { defaultModel: 'mystery-9' });
    const unknown = await bed.start();
    await unknown.stop();
    const costs = eventsOf(unknown, 'model.replied').map((event) => event.cost);
    for (const cost of costs) assert.ok('unknown' in cost);
    await assert.rejects(
      bed.start({ budget: { usd: 5 } }),
      /A money limit cannot be enforced with mystery-9/,
    );
  });

  it('costs what it had said when it failed, and nothing when it failed before', async () => {
    const failure = { reason: 'server' as const, message: 'down' };
    const costs: number[] = [];
    for (const outputTokens of [0, 1_000]) {
      const usage = { ...noUsage, inputTokens: 1_000, outputTokens };
      const model = new ScriptedModel([{ reply: { stop: 'error', usage, failure } }]);
      Object.assign(model, { id: 'claude', defaultModel: 'claude-opus-4-6' });
      bed = await testEngine(model);
      const session = await bed.start();
      assert.equal(await session.ended, 'error');
      costs.push(session.state.usd);
      await bed.dispose();
    }
    const [before, midway = 0] = costs;
    assert.equal(before, 0);
    assert.ok(midway > 0);
  });

  it('keeps pinned notes before the model, also after a restart', async () => {
    const model = new ScriptedModel(['hang', 'hang']);
    bed = await testEngine(model);
    const session = await bed.start();
    assert.equal(await session.pin('never touch data/'), 1);
    assert.equal(await session.pin('use seed 7'), 2);
    assert.equal(await session.unpin(2), true);
    assert.equal(await session.unpin(2), false);
    const next = new ScriptedModel(['hang']);
    bed = await bed.restart(next);
    const again = await bed.engine.sessions.resume(session.id);
    await until(() => next.requests.length === 1);
    const system = next.requests[0]?.system.map((part) => part.text).join('\n') ?? '';
    assert.match(system, /\[1\] never touch data\//);
    assert.doesNotMatch(system, /use seed 7/);
    assert.equal(await again.pin('another'), 3);
  });
});
