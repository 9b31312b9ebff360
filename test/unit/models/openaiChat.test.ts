import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { silentLogger } from '../../../src/base/logger.ts';
import {
  createCompatibleProvider,
  type CompatibleProviderOptions,
} from '../../../src/models/compatible/openaiChat.ts';
import { noUsage, type Message, type ModelProvider } from '../../../src/models/model.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { list, text, type JsonObject, type WireScript, type WireServer } from '../../fakes/wire.ts';
import { startWireOpenaiChat, type ChatQuirks } from '../../fakes/wireOpenaiChat.ts';
import { behavesAsAProvider } from './contract.ts';
import {
  callsIn,
  hear,
  type Heard,
  idsIn,
  inputsIn,
  request,
  thinkingOf,
  userSays,
} from './conversing.ts';

const byRole = (body: JsonObject, role: string): JsonObject[] =>
  list(body.messages).filter((one) => one.role === role);

behavesAsAProvider({
  name: 'compatible',
  model: 'qwen3-coder',
  start: startWireOpenaiChat,
  create: (options) => createCompatibleProvider({ ...options, defaultModel: 'qwen3-coder' }),
  sent: {
    system: (body) => text(byRole(body, 'system')[0]?.content),
    tools: (body) =>
      list(body.tools).map((tool) => text((tool.function as JsonObject | undefined)?.name)),
    results: (body) => byRole(body, 'tool').map((message) => text(message.tool_call_id)),
    thinking: (body) =>
      byRole(body, 'assistant').flatMap((message) => text(message.reasoning_content) || []),
  },
});

/** How a request offers tools by text, and gives their results. */
const prompted = (body: JsonObject): string => text(byRole(body, 'system')[0]?.content);
const spoken = (body: JsonObject): string =>
  byRole(body, 'user')
    .map((message) => JSON.stringify(message.content))
    .join();

behavesAsAProvider({
  name: 'compatible, with a model that calls tools by text',
  model: 'gemma-2b',
  start: (script) => startWireOpenaiChat(script, { textCalls: true }),
  create: (options) =>
    createCompatibleProvider({ ...options, defaultModel: 'gemma-2b', toolCalls: 'text' }),
  sent: {
    system: prompted,
    tools: (body) => [...prompted(body).matchAll(/^## (\w+)\n/gm)].map(([, name]) => name ?? ''),
    results: (body) =>
      [...spoken(body).matchAll(/<tool_result id=\\"(\S+)\\" name/g)].map(([, id]) => id ?? ''),
    thinking: (body) =>
      byRole(body, 'assistant').flatMap((message) => text(message.reasoning_content) || []),
  },
});

describe('compatible', () => {
  let server: WireServer;
  const clock = new ManualClock();
  afterEach(() => server.close());

  let provider: ModelProvider;
  let lastHeard: Heard;
  let told: string[];

  async function ask(
    script: WireScript,
    quirks: ChatQuirks = {},
    changes = {},
    options: Partial<CompatibleProviderOptions> = {},
  ) {
    server = await startWireOpenaiChat(script, quirks);
    told = [];
    provider = createCompatibleProvider({
      apiKey: () => Promise.resolve(undefined),
      baseUrl: server.url,
      clock,
      defaultModel: 'm',
      logger: { ...silentLogger, info: (line) => told.push(line) },
      ...options,
    });
    const again = async (more: object): Promise<Heard> => {
      lastHeard = await hear(
        (...args) => provider.stream(...args),
        request({ model: 'm', ...more }),
        { clock },
      );
      return lastHeard;
    };
    return { ...(await again(changes)), again };
  }
  const twoCalls = {
    toolCalls: [
      { name: 'launch', input: { lr: 1 } },
      { name: 'launch', input: { lr: 2 } },
    ],
  };

  const quirks: Readonly<Record<string, ChatQuirks>> = {
    'send a call whole': { wholeCalls: true },
    'send no ids': { noCallIds: true },
    'send no indexes': { noCallIndexes: true },
    'send neither, and calls whole': { wholeCalls: true, noCallIds: true, noCallIndexes: true },
    'say stop where they want results': { alwaysStop: true },
  };
  for (const [name, quirk] of Object.entries(quirks))
    it(`understands servers that ${name}`, async () => {
      const { reply } = await ask(() => twoCalls, quirk);
      assert.equal(reply.stop, 'tools');
      assert.deepEqual(inputsIn(reply), [{ lr: 1 }, { lr: 2 }]);
      assert.equal(new Set(idsIn(reply)).size, 2);
    });

  it('needs no key and no usage', async () => {
    const { reply } = await ask(() => ({ text: 'Hello' }), { noUsage: true });
    assert.deepEqual(reply.usage, noUsage);
  });

  it('gives a call an id of its own when the server counts from 0 in every reply', async () => {
    const script: WireScript = () => ({ toolCalls: [{ id: 'call_0', name: 'launch', input: {} }] });
    const { reply, again } = await ask(script);
    const messages: Message[] = [
      userSays('Begin.'),
      { role: 'assistant', content: reply.content },
      {
        role: 'user',
        content: [{ type: 'tool_result', callId: 'call_0', text: 'ok', isError: false }],
      },
    ];
    const second = await again({ messages });
    assert.equal(callsIn(reply)[0]?.id, 'call_0');
    assert.notEqual(callsIn(second.reply)[0]?.id, 'call_0');
  });

  it('sends reasoning back under the name it came by', async () => {
    const { reply, again } = await ask(() => ({ thinking: 'Hm', ...twoCalls }), {
      reasoningField: 'reasoning',
    });
    assert.equal(thinkingOf(reply), 'Hm');
    const results = callsIn(reply).map(({ id }) => ({
      type: 'tool_result',
      callId: id,
      text: 'ok',
      isError: false,
    }));
    await again({
      messages: [
        userSays('Begin.'),
        { role: 'assistant', content: reply.content },
        { role: 'user', content: results },
      ],
    });
    const [sent] = byRole(server.requests[1]?.body ?? {}, 'assistant');
    assert.deepEqual([sent?.reasoning, sent?.reasoning_content], ['Hm', undefined]);
  });

  it('lists the default model', async () => {
    server = await startWireOpenaiChat();
    const options = {
      apiKey: () => Promise.resolve(undefined),
      baseUrl: server.url,
      clock,
      defaultModel: 'm',
    };
    assert.deepEqual(
      createCompatibleProvider(options)
        .models()
        .map(({ id }) => id),
      ['m'],
    );
  });

  describe('with an endpoint that refuses tools', () => {
    const refusals: Readonly<Record<string, readonly [status: number, message: string]>> = {
      Ollama: [400, 'registry.ollama.ai/library/gemma3:4b does not support tools'],
      vLLM: [
        400,
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
      ],
      'llama.cpp': [500, 'tools param requires --jinja flag'],
      OpenRouter: [
        404,
        'No endpoints found that support tool use. To learn more about provider routing, visit: …',
      ],
      'a strict server': [422, 'Unrecognized request argument supplied: tools'],
    };
    const call = '<tool_call>\n{"name": "launch", "arguments": {"lr": 1}}\n</tool_call>';
    const refusing =
      (status: number, message: string): WireScript =>
      ({ body }) =>
        body.tools === undefined ? { text: call } : { status, message };

    for (const [name, [status, message]] of Object.entries(refusals))
      it(`goes on by text in the same call, and remembers it: ${name}`, async () => {
        const { reply, events, again } = await ask(refusing(status, message));
        assert.deepEqual(inputsIn(reply), [{ lr: 1 }]);
        assert.ok(!events.some(({ type }) => type === 'attempt.discarded'), 'nobody waits');
        const requests = server.requests.length;
        assert.equal(requests, 2);
        await again({});
        assert.equal(server.requests.length, requests + 1, 'it is not asked with tools again');
        assert.equal(provider.models()[0]?.toolCalls, 'text');
        assert.equal(told.filter((line) => line.includes('uses the text protocol')).length, 1);
      });

    it('keeps to native calls for other models, and for other refusals', async () => {
      const { again } = await ask(refusing(400, 'gemma3:4b does not support tools'));
      await again({ model: 'another' });
      assert.ok(server.requests.at(-2)?.body.tools !== undefined);
      await server.close();
      const other = await ask(refusing(400, 'tools[0].function.parameters: bad schema'));
      assert.equal(other.reply.failure?.reason, 'invalid');
    });

    it('does as it is set, and asks nothing first', async () => {
      const { reply } = await ask(
        refusing(400, 'does not support tools'),
        {},
        {},
        { toolCalls: 'text' },
      );
      assert.deepEqual(inputsIn(reply), [{ lr: 1 }]);
      assert.deepEqual([server.requests.length, server.listings.length], [1, 0]);
    });
  });

  it('asks the endpoint first how its models are called, once', async () => {
    server = await startWireOpenaiChat(({ body }) =>
      body.tools === undefined ? { text: 'Fine.' } : { status: 400, message: 'no tools please' },
    );
    server.offer([
      { id: 'm', pricing: {}, supported_parameters: ['temperature'], context_length: 9000 },
    ]);
    provider = createCompatibleProvider({
      apiKey: () => Promise.resolve(undefined),
      baseUrl: server.url,
      clock,
    });
    for (const model of ['m', 'default']) {
      const { reply } = await hear((...args) => provider.stream(...args), request({ model }), {
        clock,
      });
      assert.equal(reply.failure, undefined);
    }
    assert.equal(server.listings.length, 1);
    assert.deepEqual(
      server.requests.map(({ body }) => body.model),
      ['m', 'm'],
    );
  });

  it('does not wait long for an endpoint that does not say what its models are', async () => {
    server = await startWireOpenaiChat(() => ({ text: 'Fine.' }));
    server.offer('hang');
    provider = createCompatibleProvider({
      apiKey: () => Promise.resolve(undefined),
      baseUrl: server.url,
      clock,
    });
    const heard = hear((...args) => provider.stream(...args), request({ model: 'm' }), { clock });
    while (clock.pendingTimers < 2) await new Promise(setImmediate);
    await clock.advance(3000);
    assert.equal((await heard).reply.failure, undefined);
  });

  describe('understands an error inside of a stream', () => {
    const errors: readonly (readonly [code: unknown, message: string, reason: string])[] = [
      [502, 'Provider returned error', 'server'],
      [429, 'Rate limited upstream', 'rate_limit'],
      ['503', 'No instances', 'server'],
      [402, 'Insufficient credits', 'credit'],
      [400, 'This endpoint’s maximum context length is 8192 tokens', 'overflow'],
    ];
    for (const [code, message, reason] of errors)
      it(`${String(code)}: ${reason}`, async () => {
        const error = { code, message, metadata: { provider_name: 'Some' } } as JsonObject;
        const choices = [{ index: 0, delta: { content: '' }, finish_reason: 'error' }];
        const { reply } = await ask(({ index }) =>
          index === 0 ? { raw: [{ error, choices }] } : { status: 400 },
        );
        const { events } = lastHeard;
        const first =
          events.find((event) => event.type === 'attempt.discarded')?.failure ?? reply.failure;
        assert.equal(first?.reason, reason, first?.message);
        assert.match(first?.message ?? '', new RegExp(message));
      });

    it('that has no words', async () => {
      const choices = [{ index: 0, delta: { content: 'Half' }, finish_reason: 'error' }];
      await ask(({ index }) => (index === 0 ? { raw: [{ choices }] } : { text: 'Whole.' }));
      assert.equal(lastHeard.shown, 'Whole.');
    });
  });

  it('sends the headers of the endpoint, and efforts where it takes them', async () => {
    const options = { headers: { 'x-team': 'vision' }, sendsEffort: true };
    const { again } = await ask(() => ({ text: 'Yes.' }), {}, { effort: 'max' }, options);
    await again({ effort: 'low' });
    await again({ effort: 'minimal' });
    assert.deepEqual(
      server.requests.map(({ body, headers }) => [body.reasoning_effort, headers['x-team']]),
      [
        ['high', 'vision'],
        ['low', 'vision'],
        ['none', 'vision'],
      ],
    );
  });

  it('sends the temperature of the endpoint with every request, with calls by text, too', async () => {
    for (const toolCalls of ['native', 'text'] as const) {
      const { again } = await ask(() => ({ text: 'Yes.' }), {}, {}, { temperature: 0, toolCalls });
      await again({});
      assert.deepEqual(
        server.requests.map(({ body }) => body.temperature),
        [0, 0],
      );
      if (toolCalls === 'native') await server.close();
    }
  });

  it('sends no temperature where the endpoint has none', async () => {
    await ask(() => ({ text: 'Yes.' }));
    assert.ok(!('temperature' in (server.requests[0]?.body ?? {})));
  });
});
