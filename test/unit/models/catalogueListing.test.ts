import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { UserFacing } from '../../../src/base/errors.ts';
import { createAnthropicProvider } from '../../../src/models/anthropic/anthropic.ts';
import { createDemoProvider } from '../../../src/models/demo.ts';
import { CallFailed } from '../../../src/models/guarded.ts';
import type { ModelDescription, ModelProvider } from '../../../src/models/model.ts';
import { createOpenaiProvider } from '../../../src/models/openai/openaiResponses.ts';
import type { ProviderOptions } from '../../../src/models/provider.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import type { JsonObject, WireServer } from '../../fakes/wire.ts';
import { startWireAnthropic } from '../../fakes/wireAnthropic.ts';
import { startWireOpenaiResponses } from '../../fakes/wireOpenaiResponses.ts';

interface Lister {
  readonly name: string;
  start(): Promise<WireServer>;
  create(options: ProviderOptions): ModelProvider;
}

const listers: readonly Lister[] = [
  { name: 'claude', start: startWireAnthropic, create: createAnthropicProvider },
  { name: 'openai', start: startWireOpenaiResponses, create: createOpenaiProvider },
];

const key = 'sk-secret-0123456789';
const never = new AbortController().signal;

for (const { name, start, create } of listers)
  describe(`the list of models of ${name}`, () => {
    let server: WireServer;
    const clock = new ManualClock();
    const providerWith = (apiKey: () => Promise<string | undefined>): ModelProvider =>
      create({ apiKey, baseUrl: server.url, clock });
    const ask = (provider = providerWith(() => Promise.resolve(key)), signal = never) => {
      assert.ok(provider.list);
      return provider.list(signal);
    };
    beforeEach(async () => {
      server = await start();
    });
    afterEach(() => server.close());

    it('is asked for with the key', async () => {
      server.offer([]);
      assert.deepEqual(await ask(), []);
      assert.match(String(server.listings[0]?.headers.authorization), new RegExp(key));
    });

    const failures = [
      [401, 'auth'],
      [429, 'rate_limit'],
      [503, 'server'],
    ] as const;
    for (const [status, reason] of failures)
      it(`fails as ${reason} on ${status}, once, and without the key in its words`, async () => {
        server.offer({ status, message: `no ${key} here` });
        await assert.rejects(ask(), (error) => {
          assert.ok(error instanceof CallFailed);
          assert.equal(error.failure.reason, reason);
          assert.match(error.message, /no \[key\] here/);
          return true;
        });
        assert.equal(server.listings.length, 1);
      });

    it('stops when it is no longer wanted', async () => {
      server.offer('hang');
      const abort = new AbortController();
      const asked = ask(undefined, abort.signal);
      abort.abort();
      await assert.rejects(asked, CallFailed);
    });

    it('needs a key, and says so without a request', async () => {
      const provider = providerWith(() => Promise.resolve(' '));
      await assert.rejects(ask(provider), /API_KEY/);
      assert.equal(server.listings.length, 0);
      const readiness = await provider.readiness?.();
      assert.ok(readiness?.isReady === false);
      assert.match(
        `${readiness.problem} ${readiness.action}`,
        /There is no key for .* Set \w+_API_KEY/,
      );
    });

    it('is ready with a key, and not where the key cannot be read', async () => {
      assert.deepEqual(await providerWith(() => Promise.resolve(key)).readiness?.(), {
        isReady: true,
      });
      const closed = providerWith(() =>
        Promise.reject(new UserFacing('Others can read it.', 'chmod 600')),
      );
      assert.deepEqual(await closed.readiness?.(), {
        isReady: false,
        problem: 'Others can read it.',
        action: 'chmod 600',
      });
      assert.equal(server.listings.length, 0);
    });
  });

describe('what claude says of its models', () => {
  let server: WireServer;
  beforeEach(async () => {
    server = await startWireAnthropic();
  });
  afterEach(() => server.close());
  const told = (...models: JsonObject[]): Promise<readonly ModelDescription[]> => {
    server.offer(models);
    const options = {
      apiKey: () => Promise.resolve(key),
      baseUrl: server.url,
      clock: new ManualClock(),
    };
    return createAnthropicProvider(options).list?.(never) ?? Promise.resolve([]);
  };

  it('is read through all pages', async () => {
    const ids = ['claude-a-1', 'claude-b-1', 'claude-c-1', 'claude-d-1', 'claude-e-1'];
    assert.deepEqual(
      (await told(...ids.map((id) => ({ id })))).map(({ id }) => id),
      ids,
    );
    assert.equal(server.listings.length, 3);
  });

  it('goes before what we know, which fills in what it leaves out', async () => {
    const supports = (supported: boolean) => ({ supported });
    const [full, sparse, strange] = await told(
      {
        id: 'claude-opus-7',
        display_name: 'Claude Opus 7',
        created_at: '2026-10-01T00:00:00Z',
        max_input_tokens: 2_000_000,
        max_tokens: 256_000,
        line: 'opus',
        lifecycle: 'deprecated',
        capabilities: {
          image_input: supports(false),
          effort: {
            ...supports(true),
            low: supports(true),
            medium: supports(true),
            high: supports(true),
            xhigh: null,
            max: supports(false),
          },
        },
      },
      { id: 'claude-haiku-4-5-20251001', created_at: '1970-01-01T00:00:00Z' },
      { id: 'claude-new-9', lifecycle: 'active' },
    );
    assert.deepEqual(full, {
      id: 'claude-opus-7',
      label: 'Claude Opus 7',
      contextTokens: 2_000_000,
      maxOutputTokens: 256_000,
      efforts: ['low', 'medium', 'high'],
      acceptsImages: false,
      family: 'claude-opus',
      releasedMs: Date.UTC(2026, 9, 1),
      isRetiring: true,
    });
    assert.deepEqual(sparse, {
      id: 'claude-haiku-4-5-20251001',
      label: 'Claude Haiku 4.5',
      contextTokens: 200_000,
      maxOutputTokens: 64_000,
      efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
    });
    assert.deepEqual([strange?.label, strange?.contextTokens], ['claude-new-9', 200_000]);
  });
});

describe('what openai says of its models', () => {
  let server: WireServer;
  beforeEach(async () => {
    server = await startWireOpenaiResponses();
  });
  afterEach(() => server.close());

  it('is only ids, of which those that can do the work are taken, each once', async () => {
    const fit = [
      'gpt-9',
      'gpt-5.4',
      'gpt-4.1-mini',
      'gpt-4o',
      'o3-2025-04-16',
      'gpt-5.3-codex',
      'gpt-6.1-sol',
    ];
    const unfit = [
      'gpt-5.4-2026-03-05',
      'gpt-4o-audio-preview',
      'gpt-realtime',
      'gpt-image-2',
      'gpt-4o-mini-tts',
      'gpt-4o-transcribe',
      'gpt-4o-search-preview',
      'gpt-3.5-turbo-instruct',
      'gpt-4-0613',
      'o3-deep-research',
      'text-embedding-3-large',
      'omni-moderation-latest',
      'whisper-1',
      'dall-e-3',
      'davinci-002',
      'ft:gpt-4.1:me::1',
    ];
    server.offer(
      [...fit, ...unfit].map((id) => ({ id, object: 'model', created: 0, owned_by: 'openai' })),
    );
    const options = {
      apiKey: () => Promise.resolve(key),
      baseUrl: server.url,
      clock: new ManualClock(),
    };
    const models = (await createOpenaiProvider(options).list?.(never)) ?? [];
    assert.deepEqual(
      models.map(({ id }) => id),
      fit,
    );
    assert.deepEqual(models[0], {
      id: 'gpt-9',
      label: 'gpt-9',
      contextTokens: 128_000,
      maxOutputTokens: 16_384,
      efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
    });
    assert.deepEqual([models[1]?.label, models[1]?.contextTokens], ['GPT-5.4', 1_050_000]);
    assert.deepEqual(models[3]?.efforts, []);
  });

  it('tells when they came and which will go', async () => {
    server.offer([
      { id: 'gpt-5.4', object: 'model', created: 1_700_000_000, shutdown_date: '2027-01-01' },
    ]);
    const options = {
      apiKey: () => Promise.resolve(key),
      baseUrl: server.url,
      clock: new ManualClock(),
    };
    const [model] = (await createOpenaiProvider(options).list?.(never)) ?? [];
    assert.deepEqual([model?.releasedMs, model?.isRetiring], [1_700_000_000_000, true]);
  });
});

describe('the demo', () => {
  it('is always ready, and has nothing to ask', async () => {
    const demo = createDemoProvider();
    assert.deepEqual(await demo.readiness?.(), { isReady: true });
    assert.equal(demo.list, undefined);
  });
});
