import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { createCompatibleProvider } from '../../../src/models/compatible/openaiChat.ts';
import { noUsage, type Message } from '../../../src/models/model.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { list, text, type JsonObject, type WireScript, type WireServer } from '../../fakes/wire.ts';
import { startWireOpenaiChat, type ChatQuirks } from '../../fakes/wireOpenaiChat.ts';
import { behavesAsAProvider } from './contract.ts';
import { callsIn, hear, idsIn, inputsIn, request, thinkingOf, userSays } from './conversing.ts';

const byRole = (body: JsonObject, role: string): JsonObject[] => list(body.messages).filter((one) => one.role === role);

behavesAsAProvider({
  name: 'compatible',
  model: 'qwen3-coder',
  start: startWireOpenaiChat,
  create: (options) => createCompatibleProvider({ ...options, defaultModel: 'qwen3-coder' }),
  sent: {
    system: (body) => text(byRole(body, 'system')[0]?.content),
    tools: (body) => list(body.tools).map((tool) => text((tool.function as JsonObject | undefined)?.name)),
    results: (body) => byRole(body, 'tool').map((message) => text(message.tool_call_id)),
    thinking: (body) => byRole(body, 'assistant').flatMap((message) => text(message.reasoning_content) || []),
  },
});

describe('compatible', () => {
  let server: WireServer;
  const clock = new ManualClock();
  afterEach(() => server.close());

  async function ask(script: WireScript, quirks: ChatQuirks = {}, changes = {}) {
    server = await startWireOpenaiChat(script, quirks);
    const provider = createCompatibleProvider({
      apiKey: () => Promise.resolve(undefined),
      baseUrl: server.url,
      clock,
      defaultModel: 'm',
    });
    const again = (more: object) =>
      hear((...args) => provider.stream(...args), request({ model: 'm', ...more }), { clock });
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
      { role: 'user', content: [{ type: 'tool_result', callId: 'call_0', text: 'ok', isError: false }] },
    ];
    const second = await again({ messages });
    assert.equal(callsIn(reply)[0]?.id, 'call_0');
    assert.notEqual(callsIn(second.reply)[0]?.id, 'call_0');
  });

  it('sends reasoning back under the name it came by', async () => {
    const { reply, again } = await ask(() => ({ thinking: 'Hm', ...twoCalls }), { reasoningField: 'reasoning' });
    assert.equal(thinkingOf(reply), 'Hm');
    const results = callsIn(reply).map(({ id }) => ({ type: 'tool_result', callId: id, text: 'ok', isError: false }));
    await again({
      messages: [userSays('Begin.'), { role: 'assistant', content: reply.content }, { role: 'user', content: results }],
    });
    const [sent] = byRole(server.requests[1]?.body ?? {}, 'assistant');
    assert.deepEqual([sent?.reasoning, sent?.reasoning_content], ['Hm', undefined]);
  });

  it('lists the default model', async () => {
    server = await startWireOpenaiChat();
    const options = { apiKey: () => Promise.resolve(undefined), baseUrl: server.url, clock, defaultModel: 'm' };
    assert.deepEqual(
      createCompatibleProvider(options)
        .models()
        .map(({ id }) => id),
      ['m'],
    );
  });
});
