import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createOpenaiProvider } from '../../../src/models/openai/openaiResponses.ts';
import type { Effort } from '../../../src/models/effort.ts';
import type { ModelProvider } from '../../../src/models/model.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { list, text, type JsonObject, type WireServer } from '../../fakes/wire.ts';
import { startWireOpenaiResponses } from '../../fakes/wireOpenaiResponses.ts';
import { behavesAsAProvider } from './contract.ts';
import { hear, request, userSays } from './conversing.ts';

const ofType = (body: JsonObject, type: string): JsonObject[] =>
  list(body.input).filter((item) => item.type === type);

behavesAsAProvider({
  name: 'openai',
  model: 'gpt-5.4',
  start: startWireOpenaiResponses,
  create: createOpenaiProvider,
  sent: {
    system: (body) => text(body.instructions),
    tools: (body) => list(body.tools).map(({ name }) => text(name)),
    results: (body) => ofType(body, 'function_call_output').map((item) => text(item.call_id)),
    thinking: (body) => ofType(body, 'reasoning').map((item) => text(list(item.summary)[0]?.text)),
  },
});

describe('openai', () => {
  let server: WireServer;
  let provider: ModelProvider;
  const clock = new ManualClock();
  const options = () => ({ apiKey: () => Promise.resolve('sk-oa'), baseUrl: server.url, clock });

  beforeEach(async () => {
    server = await startWireOpenaiResponses();
    provider = createOpenaiProvider(options());
  });
  afterEach(() => server.close());

  const ask = (changes = {}) =>
    hear((...args) => provider.stream(...args), request({ model: 'gpt-5.4', ...changes }), {
      clock,
    });
  const bodyOf = async (changes = {}): Promise<JsonObject> => {
    await ask(changes);
    return server.requests.at(-1)?.body ?? {};
  };

  it('says how to set a key, without a request', async () => {
    provider = createOpenaiProvider({ ...options(), apiKey: () => Promise.resolve(' ') });
    const { reply } = await ask();
    assert.equal(reply.failure?.reason, 'auth');
    assert.match(reply.failure.message, /OPENAI_API_KEY/);
    assert.equal(server.requests.length, 0);
  });

  it('stores nothing there and asks for its reasoning in return', async () => {
    const body = await bodyOf({ maxOutputTokens: 500, conversation: 's-1' });
    assert.deepEqual(
      [
        body.store,
        body.include,
        body.prompt_cache_key,
        body.max_output_tokens,
        body.parallel_tool_calls,
      ],
      [false, ['reasoning.encrypted_content'], 's-1', 500, true],
    );
  });

  const efforts: readonly [model: string, effort: Effort, sent: unknown][] = [
    ['gpt-5.4', 'none', { summary: 'auto', effort: 'none' }],
    ['gpt-5.4', 'max', { summary: 'auto', effort: 'xhigh' }],
    ['gpt-5.4', 'xhigh', { summary: 'auto', effort: 'xhigh' }],
    ['gpt-5.4', 'minimal', { summary: 'auto', effort: 'none' }],
    ['gpt-5-mini', 'minimal', { summary: 'auto', effort: 'minimal' }],
    ['gpt-5-mini', 'none', { summary: 'auto', effort: 'minimal' }],
    ['gpt-5-mini', 'xhigh', { summary: 'auto', effort: 'high' }],
    ['gpt-5.1-codex-max', 'max', { summary: 'auto', effort: 'xhigh' }],
    ['o3', 'minimal', { summary: 'auto', effort: 'low' }],
    ['gpt-6-sol', 'xhigh', { summary: 'auto', effort: 'xhigh' }],
    ['gpt-6-sol', 'max', { summary: 'auto', effort: 'max' }],
    ['gpt-5.3-codex', 'none', { summary: 'auto', effort: 'low' }],
    ['gpt-4.1', 'high', undefined],
  ];
  for (const [model, effort, sent] of efforts)
    it(`tells ${model} the effort ${effort}`, async () => {
      assert.deepEqual((await bodyOf({ model, effort })).reasoning, sent);
    });

  it('gives an image of a result inside that result', async () => {
    const call = { type: 'tool_call', id: 'a', name: 'launch', input: {} };
    const image = { type: 'attachment', mediaType: 'image/png', name: 'x.png', base64: 'AAAA' };
    const result = {
      type: 'tool_result',
      callId: 'a',
      text: 'chart',
      isError: true,
      attachments: [image],
    };
    const body = await bodyOf({
      messages: [
        userSays('Begin.'),
        { role: 'assistant', content: [call] },
        { role: 'user', content: [result] },
      ],
    });
    assert.deepEqual(ofType(body, 'function_call_output')[0]?.output, [
      { type: 'input_text', text: 'Error: chart' },
      { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AAAA' },
    ]);
  });

  it('tells the model again which of its texts were remarks and which the answer', async () => {
    server.reply(({ index }) => ({ text: 'Hm', ...(index === 0 ? { phase: 'commentary' } : {}) }));
    const { reply } = await ask();
    assert.deepEqual(reply.content, [{ type: 'text', text: 'Hm', phase: 'commentary' }]);
    const plain = { type: 'text', text: 'So.' };
    const body = await bodyOf({
      messages: [
        userSays('Begin.'),
        { role: 'assistant', content: [...reply.content, plain] },
        userSays('Go on.'),
      ],
    });
    assert.deepEqual(list(body.input).slice(1, 3), [
      { role: 'assistant', content: 'Hm', phase: 'commentary' },
      { role: 'assistant', content: 'So.' },
    ]);
  });

  it('does without summaries of reasoning where the organisation may not have them', async () => {
    const hasSummary = ({ reasoning }: JsonObject): boolean =>
      'summary' in (reasoning as JsonObject);
    server.reply(({ body }) =>
      hasSummary(body)
        ? { status: 400, param: 'reasoning.summary', message: 'must be verified' }
        : { text: 'Fine.' },
    );
    assert.equal((await ask()).reply.stop, 'stop');
    assert.equal((await ask()).reply.stop, 'stop');
    assert.deepEqual(
      server.requests.map(({ body }) => hasSummary(body)),
      [true, false, false],
    );
  });

  it('does not wait where the account has no credit', async () => {
    server.reply(() => ({ status: 429, kind: 'insufficient_quota' }));
    const { reply } = await ask();
    assert.deepEqual([reply.failure?.reason, server.requests.length], ['credit', 1]);
  });
});
