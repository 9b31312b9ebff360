import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createOpenaiProvider } from '../../../src/models/openai/openaiResponses.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import type { WireServer } from '../../fakes/wire.ts';
import { startWireOpenaiResponses } from '../../fakes/wireOpenaiResponses.ts';

describe('the web search of OpenAI', () => {
  let server: WireServer;
  beforeEach(async () => {
    server = await startWireOpenaiResponses();
  });
  afterEach(() => server.close());
  const search = (key: string | undefined) => {
    const clock = new ManualClock();
    const provider = createOpenaiProvider({
      apiKey: () => Promise.resolve(key),
      baseUrl: server.url,
      clock,
    });
    const request = { model: 'gpt-5.4', query: 'warm-up' };
    return provider.search?.(request, new AbortController().signal) ?? assert.fail('no search');
  };

  it('tells what was cited first, then what else was found', async () => {
    const cited = { title: 'On warm-up', url: 'https://papers.example/1' };
    server.reply(() => ({ text: 'It helps.', sources: [cited] }));
    const { text, sources, failure } = await search('sk-oa-0123456789');
    assert.deepEqual([text, failure], ['It helps.', undefined]);
    assert.deepEqual(sources, [
      cited,
      { title: 'https://uncited.example/', url: 'https://uncited.example/' },
    ]);
    assert.deepEqual(server.requests[0]?.body.include, ['web_search_call.action.sources']);
  });

  it('says that a key is missing, without a request', async () => {
    assert.equal((await search(undefined)).failure?.reason, 'auth');
    assert.equal(server.requests.length, 0);
  });
});
