import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createAnthropicProvider } from '../../../src/models/anthropic/anthropic.ts';
import type { ModelProvider, SearchReply } from '../../../src/models/model.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { list, type WireServer } from '../../fakes/wire.ts';
import { startWireAnthropic } from '../../fakes/wireAnthropic.ts';

const model = 'claude-sonnet-5-5';
const key = 'sk-ant-0123456789';
const pages = [
  { title: 'Muon', url: 'https://kellerjordan.github.io/posts/muon/' },
  { title: 'Muon is scalable', url: 'https://arxiv.org/abs/2502.16982' },
];
const usage = { inputTokens: 900, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 30 };

describe('the search of Anthropic', () => {
  let server: WireServer;
  let provider: ModelProvider;
  const clock = new ManualClock();

  beforeEach(async () => {
    server = await startWireAnthropic();
    const apiKey = () => Promise.resolve(key);
    provider = createAnthropicProvider({ apiKey, baseUrl: server.url, clock, maxRetries: 0 });
  });
  afterEach(async () => {
    await server.close();
    assert.equal(clock.pendingTimers, 0);
  });

  const search = async (signal = new AbortController().signal): Promise<SearchReply> => {
    const reply = await provider.search?.({ model, query: 'who uses Muon?' }, signal);
    assert.ok(reply);
    return reply;
  };

  it('asks with its tool alone, and tells what is cited before what else was found', async () => {
    server.reply(() => ({ text: 'Keller Jordan does, and Moonshot.', sources: pages, usage }));
    assert.deepEqual(await search(), {
      text: 'Keller Jordan does, and Moonshot.',
      sources: [
        { ...pages[0], snippet: 'of Muon' },
        { ...pages[1], snippet: 'of Muon is scalable' },
        { title: 'Uncited', url: 'https://uncited.example/' },
      ],
      usage,
      searches: 1,
      model,
    });
    const { body } = server.requests[0] ?? assert.fail();
    assert.deepEqual(body.tools, [
      { type: 'web_search_20250305', name: 'web_search', max_uses: 5 },
    ]);
    assert.deepEqual(body.messages, [{ role: 'user', content: 'who uses Muon?' }]);
  });

  it('goes on with a turn that the service paused, and counts all of it', async () => {
    server.reply(({ index }) =>
      index === 0
        ? { text: 'First, ', sources: pages.slice(0, 1), usage, stop: 'paused' }
        : { text: 'and then.', sources: pages.slice(1), usage },
    );
    const reply = await search();
    assert.equal(reply.text, 'First, and then.');
    assert.deepEqual([reply.usage.inputTokens, reply.usage.outputTokens], [1800, 60]);
    assert.equal(reply.sources.length, 3);
    const [, answer] = list(server.requests[1]?.body.messages);
    assert.deepEqual(
      list(answer?.content).map(({ type }) => type),
      ['server_tool_use', 'web_search_tool_result', 'text'],
    );
  });

  it('does not go on for ever', async () => {
    server.reply(() => ({ text: 'still', stop: 'paused' }));
    await search();
    assert.equal(server.requests.length, 5);
  });

  for (const [how, reason, script] of [
    ['a wrong key', 'auth', { status: 401, message: `${key} is not right` }],
    ['an overload', 'rate_limit', { status: 529 }],
    ['a cut stream', 'network', { text: 'Some of it', breaks: { at: 'text', how: 'cut' } }],
    [
      'a stream that ends early',
      'network',
      { text: 'Some of it', breaks: { at: 'end', how: 'close' } },
    ],
    ['a refusal', 'refused', { text: 'No', stop: 'refused' }],
    ['no answer', 'server', {}],
  ] as const)
    it(`tells ${how} as data, without the key`, async () => {
      server.reply(() => script);
      const { failure } = await search();
      assert.equal(failure?.reason, reason);
      assert.ok(!failure?.message.includes(key));
    });

  it('stops when it is interrupted', async () => {
    server.reply(() => ({ text: 'x', breaks: { at: 'text', how: 'hang' } }));
    const abort = new AbortController();
    const searching = search(abort.signal);
    await server.received(1);
    abort.abort();
    assert.equal((await searching).failure?.message, 'The search was interrupted.');
  });
});
