import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createAnthropicProvider } from '../../../src/models/anthropic/anthropic.ts';
import type { Effort } from '../../../src/models/effort.ts';
import type { Message, ModelProvider } from '../../../src/models/model.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { list, text, type JsonObject, type WireServer } from '../../fakes/wire.ts';
import { startWireAnthropic } from '../../fakes/wireAnthropic.ts';
import { behavesAsAProvider } from './contract.ts';
import { callsIn, hear, request, userSays } from './conversing.ts';

const parts = (body: JsonObject): JsonObject[] =>
  list(body.messages).flatMap(({ content }) => list(content));

behavesAsAProvider({
  name: 'claude',
  model: 'claude-opus-4-6',
  start: startWireAnthropic,
  create: createAnthropicProvider,
  sent: {
    system: (body) =>
      list(body.system)
        .map((part) => text(part.text))
        .join('\n'),
    tools: (body) => list(body.tools).map(({ name }) => text(name)),
    results: (body) =>
      parts(body)
        .filter(({ type }) => type === 'tool_result')
        .map((part) => text(part.tool_use_id)),
    thinking: (body) =>
      parts(body)
        .filter(({ type }) => type === 'thinking')
        .map((part) => text(part.thinking)),
  },
});

describe('claude', () => {
  let server: WireServer;
  let provider: ModelProvider;
  const clock = new ManualClock();

  beforeEach(async () => {
    server = await startWireAnthropic();
    provider = createAnthropicProvider({
      apiKey: () => Promise.resolve('sk-ant'),
      baseUrl: server.url,
      clock,
    });
  });
  afterEach(() => server.close());

  const ask = (changes = {}) =>
    hear((...args) => provider.stream(...args), request({ model: 'claude-opus-4-6', ...changes }), {
      clock,
    });
  const bodyOf = async (changes = {}): Promise<JsonObject> => {
    await ask(changes);
    return server.requests.at(-1)?.body ?? {};
  };

  it('says how to set a key, without a request', async () => {
    provider = createAnthropicProvider({
      apiKey: () => Promise.resolve(undefined),
      baseUrl: server.url,
      clock,
    });
    const { reply } = await ask();
    assert.equal(reply.failure?.reason, 'auth');
    assert.match(reply.failure.message, /ANTHROPIC_API_KEY/);
    assert.equal(server.requests.length, 0);
  });

  it('marks what is cached: tools, the stable prompt, and the last two turns of the user', async () => {
    const turn = (index: number): Message[] => [
      userSays(`question ${index}`),
      { role: 'assistant', content: [{ type: 'text', text: `answer ${index}` }] },
    ];
    const body = await bodyOf({ messages: [...turn(1), ...turn(2), userSays('question 3')] });
    const isMarked = (part: JsonObject): boolean => part.cache_control !== undefined;
    assert.deepEqual(list(body.tools).map(isMarked), [false, true]);
    assert.deepEqual(list(body.system).map(isMarked), [false, true, false]);
    assert.deepEqual(
      parts(body)
        .filter(isMarked)
        .map((part) => part.text),
      ['question 2', 'question 3'],
    );
  });

  it('puts results together in one message of the user, before what the user says', async () => {
    const calls = ['a', 'b'].map(
      (id) => ({ type: 'tool_call', id, name: 'launch', input: {} }) as const,
    );
    const result = (callId: string): Message => ({
      role: 'user',
      content: [{ type: 'tool_result', callId, text: callId, isError: callId === 'b' }],
    });
    const messages = [
      userSays('Begin.'),
      { role: 'assistant', content: calls },
      result('a'),
      userSays('Well?'),
      result('b'),
    ];
    const body = await bodyOf({ messages });
    assert.deepEqual(
      list(body.messages).map(({ role }) => role),
      ['user', 'assistant', 'user'],
    );
    const last = list(list(body.messages)[2]?.content);
    assert.deepEqual(
      last.map(({ type, is_error }) => [type, is_error]),
      [
        ['tool_result', undefined],
        ['tool_result', true],
        ['text', undefined],
      ],
    );
  });

  it('keeps encrypted thinking and sends it back', async () => {
    server.reply(() => ({ thinking: 'redacted:xyz', toolCalls: [{ name: 'launch', input: {} }] }));
    const { reply } = await ask();
    const [call] = callsIn(reply);
    assert.ok(call);
    const result = { type: 'tool_result', callId: call.id, text: 'ok', isError: false };
    const body = await bodyOf({
      messages: [
        userSays('Begin.'),
        { role: 'assistant', content: reply.content },
        { role: 'user', content: [result] },
      ],
    });
    assert.deepEqual(list(list(body.messages)[1]?.content)[0], {
      type: 'redacted_thinking',
      data: 'redacted:xyz',
    });
  });

  it('asks once more without thinking when the service refuses what was thought before a change', async () => {
    const forged = {
      model: 'claude-opus-4-6',
      item: { type: 'thinking', thinking: 'Hm', signature: 'of another day' },
    };
    const thinking = { type: 'thinking', text: 'Hm', provider: 'claude', opaque: forged };
    server.reply(() => ({ text: 'Fine.' }));
    const { reply } = await ask({
      messages: [
        userSays('Begin.'),
        { role: 'assistant', content: [thinking, { type: 'text', text: 'So.' }] },
        userSays('And?'),
      ],
    });
    assert.equal(reply.stop, 'stop');
    assert.equal(server.requests.length, 2);
    assert.deepEqual(
      parts(server.requests[1]?.body ?? {}).filter(({ type }) => type === 'thinking'),
      [],
    );
  });

  it('reports what a cut attempt was charged', async () => {
    const usage = { inputTokens: 100, cacheReadTokens: 20, outputTokens: 50 };
    server.reply(({ index }) =>
      index === 0
        ? { text: 'Cut here', usage, breaks: { at: 'text', how: 'cut' } }
        : { text: 'Whole', usage },
    );
    const { reply } = await ask();
    assert.deepEqual(reply.discardedUsage, {
      inputTokens: 100,
      cacheReadTokens: 20,
      cacheWriteTokens: 0,
      outputTokens: 1,
    });
    assert.equal(reply.usage.outputTokens, 50);
  });

  const thinks: readonly [model: string, effort: Effort | undefined, sent: unknown][] = [
    ['claude-opus-4-6', undefined, [{ type: 'adaptive', display: 'summarized' }, undefined]],
    ['claude-opus-4-6', 'max', [{ type: 'adaptive', display: 'summarized' }, { effort: 'max' }]],
    ['claude-opus-4-6', 'xhigh', [{ type: 'adaptive', display: 'summarized' }, { effort: 'high' }]],
    [
      'claude-opus-4-7',
      'xhigh',
      [{ type: 'adaptive', display: 'summarized' }, { effort: 'xhigh' }],
    ],
    ['claude-opus-4-6', 'minimal', [{ type: 'disabled' }, undefined]],
    [
      'claude-opus-5-5',
      'minimal',
      [{ type: 'adaptive', display: 'summarized' }, { effort: 'low' }],
    ],
    ['claude-haiku-4-5', 'minimal', [{ type: 'enabled', budget_tokens: 1024 }, undefined]],
    ['claude-opus-4-6', 'none', [{ type: 'disabled' }, undefined]],
    ['claude-sonnet-5-5', 'none', [{ type: 'between_tools' }, undefined]],
    ['claude-opus-5-5', 'none', [{ type: 'adaptive', display: 'summarized' }, { effort: 'low' }]],
    ['claude-fable-5-1', 'none', [{ type: 'adaptive', display: 'summarized' }, { effort: 'low' }]],
    [
      'claude-haiku-4-5-20251001',
      'medium',
      [{ type: 'enabled', budget_tokens: 12_000 }, undefined],
    ],
    ['claude-haiku-4-5', 'none', [undefined, undefined]],
    ['claude-haiku-4-5', undefined, [undefined, undefined]],
  ];
  for (const [model, effort, sent] of thinks)
    it(`tells ${model} to think with effort ${effort ?? 'of its own'}`, async () => {
      const body = await bodyOf({ model, ...(effort === undefined ? {} : { effort }) });
      assert.deepEqual([body.thinking, body.output_config], sent);
    });

  it('gives no thinking budget amid calls that were made without thinking, nor above the output limit', async () => {
    const model = 'claude-haiku-4-5';
    const call = { type: 'tool_call', id: 'a', name: 'launch', input: {} };
    const result = { type: 'tool_result', callId: 'a', text: 'ok', isError: false };
    const messages = [
      userSays('Begin.'),
      { role: 'assistant', content: [call] },
      { role: 'user', content: [result] },
    ];
    assert.equal((await bodyOf({ model, effort: 'high', messages })).thinking, undefined);
    assert.equal(
      (await bodyOf({ model, effort: 'high', maxOutputTokens: 1500 })).thinking,
      undefined,
    );
    const small = await bodyOf({ model, effort: 'high', maxOutputTokens: 4096 });
    assert.deepEqual(small.thinking, { type: 'enabled', budget_tokens: 3072 });
  });
});
