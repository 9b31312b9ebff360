import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createClaudeCliProvider } from '../../../../src/models/claudeCli/claudeCli.ts';
import type { ModelProvider } from '../../../../src/models/model.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { createClaudeUser, type ClaudeUser } from '../../../fakes/claudeUser.ts';
import { eventsOf, testEngine, until, type TestEngine } from '../../../fakes/testEngine.ts';
import { until as untilTrue } from '../../../fakes/scratch.ts';
import {
  list,
  text,
  type JsonObject,
  type WireReply,
  type WireServer,
} from '../../../fakes/wire.ts';
import { startWireAnthropic } from '../../../fakes/wireAnthropic.ts';

const replies: readonly WireReply[] = [
  {
    thinking: 'One run first.',
    text: 'I start.',
    toolCalls: [
      {
        name: 'remote_exec_background',
        input: { command: 'echo loss=0.5', metric_names: ['loss'] },
      },
      { name: 'memory_write', input: { path: '/lr', gist: 'lr 0.1 is tried', content: 'It is.' } },
    ],
  },
  { toolCalls: [{ name: 'memory_read', input: { path: '/lr' } }] },
  { text: 'I look', breaks: { at: 'connect', how: 'hang' } },
  { toolCalls: [{ name: 'finish', input: { outcome: 'blocked', summary: 'That is all.' } }] },
];
const resultsIn = (body: JsonObject): string[] =>
  list(body['messages'])
    .flatMap(({ content }) => list(content))
    .filter(({ type }) => type === 'tool_result')
    .map((part) => text(part['tool_use_id']));

describe('a session over the user’s own claude', () => {
  let user: ClaudeUser;
  let server: WireServer;
  let bed: TestEngine | undefined;
  let provider: ModelProvider;

  beforeEach(async () => {
    user = await createClaudeUser();
    server = await startWireAnthropic(
      ({ index }) => replies[index] ?? { status: 400, message: 'not scripted' },
    );
  });
  afterEach(async () => {
    for (const { id } of bed?.engine.sessions.open() ?? []) await provider.release?.(id);
    await bed?.dispose();
    bed = undefined;
    await server.close();
    await user.dispose();
  });

  const create = (): ModelProvider =>
    createClaudeCliProvider({
      claudePath: user.claude,
      folder: user.folder,
      env: user.env(server.url, 'sk-test-0123456789'),
      clock: systemClock,
      maxRetries: 0,
    });

  it('runs, is closed in the middle of a call, and goes on with all that was', async () => {
    provider = create();
    bed = await testEngine(provider, { settings: { model: 'claude-opus-4-6' } });
    const first = await bed.start();
    await server.received(3);
    await until(
      () => first.state.runs.size === 1 && bed?.engine.runs.all()[0]?.liveness.kind === 'ended',
    );
    await bed.engine.close();
    await provider.release?.(first.id);
    // Closing in the middle of a call ends the process; nobody waits until it is gone.
    await untilTrue('claude is gone', async () => (await user.running()).length === 0);

    provider = create();
    bed = await bed.restart(provider);
    const again = await bed.engine.sessions.resume(first.id);
    assert.equal(await again.ended, 'blocked');

    const bodies = server.requests.map(({ body }) => body);
    assert.equal(bodies.length, 4);
    const calls = eventsOf(again, 'model.replied').flatMap(({ content }) =>
      content.flatMap((block) => (block.type === 'tool_call' ? [block.id] : [])),
    );
    assert.deepEqual(bodies.map(resultsIn), [
      [],
      calls.slice(0, 2),
      calls.slice(0, 3),
      calls.slice(0, 3),
    ]);
    const last = JSON.stringify(bodies[3]);
    for (const words of [
      'bring loss < 1',
      'I start.',
      'One run first.',
      'lr 0.1 is tried',
      'loss last 0.5',
    ])
      assert.ok(last.includes(words), words);
    const tools = bodies.map((body) => list(body['tools']).map(({ name }) => text(name)));
    for (const names of tools) assert.deepEqual(names, tools[0]);
    for (const name of ['remote_exec_background', 'finish', 'sleep', 'memory_read'])
      assert.ok(tools[0]?.includes(name), name);
    assert.match(
      list(bodies[0]?.['system'])
        .map((part) => text(part['text']))
        .join('\n'),
      /^You are Helios/m,
    );
    const costs = eventsOf(again, 'model.replied')
      .filter(({ stop }) => stop === 'tools')
      .map(({ cost }) => cost);
    assert.ok(costs.every((cost) => 'usd' in cost && cost.usd > 0));
    assert.equal(again.ledger.rows.length, 1);
  });
});
