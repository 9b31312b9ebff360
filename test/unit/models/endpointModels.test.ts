import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import {
  createCompatibleProvider,
  type CompatibleProviderOptions,
} from '../../../src/models/compatible/openaiChat.ts';
import { CallFailed } from '../../../src/models/guarded.ts';
import type { ModelDescription } from '../../../src/models/model.ts';
import { EndpointServer, servers, type Routes } from '../../fakes/endpointServer.ts';
import { ManualClock } from '../../fakes/manualClock.ts';

const never = new AbortController().signal;
const key = 'sk-endpoint-0123456789';

describe('models of an endpoint', () => {
  let server: EndpointServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  async function provided(routes: Routes, changes: Partial<CompatibleProviderOptions> = {}) {
    server = await EndpointServer.start(routes);
    const apiKey = (): Promise<string | undefined> => Promise.resolve(undefined);
    return createCompatibleProvider({
      baseUrl: server.url,
      clock: new ManualClock(),
      apiKey,
      ...changes,
    });
  }
  const listed = async (
    ...args: Parameters<typeof provided>
  ): Promise<readonly ModelDescription[]> => (await (await provided(...args)).list?.(never)) ?? [];

  const none = { efforts: [] };

  it('of OpenRouter: prices, sizes, tools and images, without those that write no text', async () => {
    assert.deepEqual(await listed(servers.openRouter), [
      {
        ...{
          id: 'qwen/qwen3-coder',
          label: 'Qwen: Qwen3 Coder',
          contextTokens: 131_072,
          maxOutputTokens: 65_536,
        },
        ...{ toolCalls: 'native', acceptsImages: false, releasedMs: 1_753_230_546_000, ...none },
        price: { input: 0.22, output: 0.95, cacheRead: 0.022 },
      },
      {
        ...{
          id: 'deepseek/deepseek-r1:free',
          label: 'deepseek/deepseek-r1:free',
          contextTokens: 163_840,
        },
        ...{
          maxOutputTokens: 8192,
          toolCalls: 'text',
          acceptsImages: true,
          ...none,
          price: { input: 0, output: 0 },
        },
      },
      {
        ...{
          id: 'openrouter/auto',
          label: 'openrouter/auto',
          contextTokens: 2_000_000,
          maxOutputTokens: 8192,
        },
        ...{ toolCalls: 'native', ...none },
      },
    ]);
  });

  const sizes = async (...args: Parameters<typeof provided>): Promise<unknown[]> =>
    (await listed(...args)).map(
      ({ id, contextTokens, maxOutputTokens, toolCalls, acceptsImages }) => [
        ...[id, contextTokens, maxOutputTokens, toolCalls, acceptsImages],
      ],
    );

  it('of vLLM: the length that it was started with', async () => {
    assert.deepEqual(await sizes(servers.vllm), [
      ['Qwen/Qwen3-32B', 24_576, 6144, 'native', undefined],
    ]);
  });

  it('of llama.cpp: the context of a slot, and tools by text where the template of the model shows none', async () => {
    assert.deepEqual(await sizes(servers.llamaCpp), [
      ['gemma-2-9b.gguf', 6144, 1536, 'text', false],
    ]);
  });

  it('of LM Studio: the context that is loaded, without embeddings', async () => {
    assert.deepEqual(await sizes(servers.lmStudio), [
      ['qwen2.5-7b', 12_288, 3072, 'native', undefined],
      ['llava', 4096, 1024, 'native', true],
    ]);
  });

  it('of Ollama: the context that they run with and not the one they could hold, and what they can do', async () => {
    const ollama = [
      ['qwen3:8b', 16_384, 4096, 'native', false],
      ['gemma3:4b', 4096, 1024, 'text', true],
      ['llama3:8b', 8192, 2048, 'native', false],
    ];
    assert.deepEqual(await sizes(servers.ollama), ollama);
    await server?.close();
    const told = await sizes(servers.ollama, { contextTokens: 20_000 });
    assert.deepEqual(
      told.map((each) => (each as unknown[])[1]),
      [16_384, 20_000, 8192],
      'a setting names what Ollama does not tell',
    );
  });

  it('of any other: their names, and what is set or assumed', async () => {
    assert.deepEqual(await sizes(servers.plain), [
      ['some-model', 32_768, 8192, 'native', undefined],
      ['another', 32_768, 8192, 'native', undefined],
    ]);
    await server?.close();
    const set = {
      contextTokens: 16_000,
      maxOutputTokens: 1000,
      toolCalls: 'text',
      acceptsImages: true,
    } as const;
    assert.deepEqual(await sizes(servers.plain, set), [
      ['some-model', 16_000, 1000, 'text', true],
      ['another', 16_000, 1000, 'text', true],
    ]);
  });

  it('are known from then on, the first as the default where none is set', async () => {
    const provider = await provided(servers.plain);
    assert.equal(provider.defaultModel, 'default');
    await provider.list?.(never);
    assert.equal(provider.defaultModel, 'some-model');
    assert.deepEqual(
      provider.models().map(({ id }) => id),
      ['some-model', 'another'],
    );
  });

  it('hold the one that is set, also where the endpoint does not name it', async () => {
    assert.deepEqual(
      (await listed(servers.plain, { defaultModel: 'mine' })).map(({ id }) => id),
      ['mine', 'some-model', 'another'],
    );
  });

  it('take efforts where the endpoint is said to take them', async () => {
    const [first] = await listed(servers.plain, { sendsEffort: true });
    assert.deepEqual(first?.efforts, ['none', 'low', 'medium', 'high']);
    assert.deepEqual((await listed(servers.plain))[0]?.efforts, []);
  });

  it('are asked for with the key and the headers', async () => {
    const options = { apiKey: () => Promise.resolve(key), headers: { 'x-team': 'vision' } };
    await listed(servers.ollama, options);
    for (const { headers } of server?.asked ?? [])
      assert.deepEqual([headers.authorization, headers['x-team']], [`Bearer ${key}`, 'vision']);
    await server?.close();
    await listed(servers.plain);
    assert.equal(server?.asked[0]?.headers.authorization, undefined);
  });

  describe('that cannot be told', () => {
    const failing = async (routes: Routes, changes: Partial<CompatibleProviderOptions> = {}) => {
      const provider = await provided(routes, changes);
      const error: unknown = await provider.list?.(never).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof CallFailed);
      return error.failure;
    };

    it('say so with the address', async () => {
      const failure = await failing({ 'GET /v1/models': 404 });
      assert.equal(failure.reason, 'invalid');
      assert.match(
        failure.message,
        /^OpenAI-compatible endpoint at http:\/\/127\.0\.0\.1:\d+\/v1 answered 404/,
      );
    });

    it('ask for a key that is right', async () => {
      const failure = await failing(
        { 'GET /v1/models': 401 },
        { apiKey: () => Promise.resolve(key) },
      );
      assert.equal(failure.reason, 'auth');
      assert.match(failure.message, /Set API Key/);
    });

    it('say that the address is none of an API', async () => {
      const failure = await failing({ 'GET /v1/models': '<html>Welcome</html>' });
      assert.match(failure.message, /\/v1\/models did not answer in JSON. Check the base URL/);
    });

    it('say that nothing listens there', async () => {
      const provider = await provided(servers.plain);
      await server?.close();
      server = undefined;
      await assert.rejects(provider.list?.(never) ?? Promise.resolve(), (error: unknown) => {
        assert.ok(error instanceof CallFailed);
        assert.equal(error.failure.reason, 'network');
        assert.match(error.failure.message, /at http:\/\/127\.0\.0\.1:\d+\/v1: .*ECONNREFUSED/);
        return true;
      });
    });

    it('are not asked for when the key would cross the internet in the open', async () => {
      const asked: string[] = [];
      const fetch = ((url: string) => {
        asked.push(url);
        return Promise.resolve(Response.json({ data: [] }));
      }) as typeof globalThis.fetch;
      const list = (baseUrl: string, apiKey: string | undefined) =>
        createCompatibleProvider({
          baseUrl,
          fetch,
          clock: new ManualClock(),
          apiKey: () => Promise.resolve(apiKey),
        }).list?.(never);
      for (const open of [
        'http://models.example.com/v1',
        'http://8.8.8.8:8000/v1',
        'http://[2001:4860::1]/v1',
      ])
        await assert.rejects(
          list(open, key) ?? Promise.resolve(),
          /unencrypted over the internet.*https/,
        );
      assert.deepEqual(asked, []);
      for (const fine of [
        ...[
          'https://models.example.com/v1',
          'http://localhost:8000/v1',
          'http://127.0.0.1/v1',
          'http://[::1]:1/v1',
        ],
        ...[
          'http://192.168.1.7:8000/v1',
          'http://10.0.0.1/v1',
          'http://gpu1:8000/v1',
          'http://gpu1.local/v1',
        ],
      ])
        await list(fine, key);
      await list('http://models.example.com/v1', undefined);
    });
  });
});
