import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createGeminiProvider } from '../../../src/models/gemini/gemini.ts';
import type { ModelProvider, SearchReply } from '../../../src/models/model.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import type { JsonObject, WireServer } from '../../fakes/wire.ts';
import { startWireGemini } from '../../fakes/wireGemini.ts';

const model = 'gemini-3.8-flash';

describe('the search of gemini', () => {
  let server: WireServer;
  let redirects: Server;
  let redirectUrl: string;
  let provider: ModelProvider;

  beforeEach(async () => {
    server = await startWireGemini();
    redirects = createServer((request, response) => {
      if (request.url?.endsWith('/gone')) response.writeHead(404).end();
      else response.writeHead(302, { location: 'https://arxiv.org/abs/1706.03762' }).end();
    }).listen(0, '127.0.0.1');
    await once(redirects, 'listening');
    redirectUrl = `http://127.0.0.1:${(redirects.address() as AddressInfo).port}/grounding-api-redirect`;
    provider = createGeminiProvider({
      apiKey: () => Promise.resolve('AIza-0123456789'),
      baseUrl: server.url,
      clock: new ManualClock(),
      maxRetries: 0,
    });
  });
  afterEach(async () => {
    redirects.close();
    await server.close();
  });

  const search = async (signal = new AbortController().signal): Promise<SearchReply> => {
    const reply = await provider.search?.({ model, query: 'who wrote about attention?' }, signal);
    assert.ok(reply);
    return reply;
  };
  const answer = (text: string, grounding: JsonObject = {}): JsonObject => ({
    candidates: [
      { content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', ...grounding },
    ],
    modelVersion: model,
    usageMetadata: { promptTokenCount: 10, toolUsePromptTokenCount: 90, candidatesTokenCount: 5 },
  });

  it('asks Google, and tells each page that the answer stands on, where it really is', async () => {
    const web = (uri: string, title?: string) => ({
      web: { uri, ...(title !== undefined && { title }) },
    });
    const groundingMetadata = {
      groundingChunks: [
        web(`${redirectUrl}/a`, 'arxiv.org'),
        web('https://example.org/b'),
        web(`${redirectUrl}/gone`, 'gone.example'),
        web('https://example.org/b'),
      ],
      webSearchQueries: ['attention paper', 'transformer authors'],
      groundingSupports: [
        { segment: { text: 'Vaswani and others did.' }, groundingChunkIndices: [0, 2] },
        { segment: { text: 'In 2017.' }, groundingChunkIndices: [0] },
      ],
    };
    server.reply(() => ({
      raw: [answer('Vaswani and others did. In 2017.', { groundingMetadata })],
    }));
    assert.deepEqual(await search(), {
      text: 'Vaswani and others did. In 2017.',
      sources: [
        {
          title: 'arxiv.org',
          url: 'https://arxiv.org/abs/1706.03762',
          snippet: 'Vaswani and others did.',
        },
        { title: 'https://example.org/b', url: 'https://example.org/b' },
        { title: 'gone.example', url: `${redirectUrl}/gone`, snippet: 'Vaswani and others did.' },
      ],
      usage: { inputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 5 },
      searches: 2,
      model,
    });
    const { tools, contents } = server.requests[0]?.body ?? {};
    assert.deepEqual(tools, [{ googleSearch: {} }]);
    assert.deepEqual(contents, [{ role: 'user', parts: [{ text: 'who wrote about attention?' }] }]);
  });

  it('fails as data, without the key in its words', async () => {
    server.reply(() => ({ status: 403, message: 'The key AIza-0123456789 may not search' }));
    const { failure, sources } = await search();
    assert.deepEqual([failure?.reason, sources], ['auth', []]);
    assert.match(failure?.message ?? '', /The key \[key\] may not search/);
  });

  it('says so when it found nothing out, or was interrupted', async () => {
    server.reply(() => ({ raw: [answer('')] }));
    assert.equal((await search()).failure?.reason, 'server');
    assert.equal((await search(AbortSignal.abort())).failure?.reason, 'network');
  });
});
