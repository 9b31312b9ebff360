/** What Gemini's own format wants and tells, beyond what all providers do. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createGeminiProvider } from '../../../src/models/gemini/gemini.ts';
import type { Effort } from '../../../src/models/effort.ts';
import {
  noUsage,
  type AttachmentBlock,
  type Message,
  type ModelFailureReason,
  type ModelProvider,
  type ModelReply,
} from '../../../src/models/model.ts';
import { costOf } from '../../../src/models/prices.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import {
  list,
  type Json,
  type JsonObject,
  type WireError,
  type WireServer,
} from '../../fakes/wire.ts';
import { startWireGemini } from '../../fakes/wireGemini.ts';
import { callsIn, hear, request, userSays, type Heard } from './conversing.ts';

const model = 'gemini-3.8-flash';
const older = 'gemini-2.5-flash';

const chunk = (parts: Json[], more: JsonObject = {}, rest: JsonObject = {}): JsonObject => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
  ...rest,
});
const end = (finishReason = 'STOP', rest: JsonObject = {}): JsonObject =>
  chunk([], { finishReason }, rest);

const contentsOf = (body: JsonObject): JsonObject[][] =>
  list(body.contents).map(({ parts }) => list(parts));

const call = (id: string) =>
  ({ type: 'tool_call', id, name: `launch_${id}`, input: { id } }) as const;
const result = (callId: string, more: object = {}) =>
  ({ type: 'tool_result', callId, text: `ran ${callId}`, isError: false, ...more }) as const;

describe('gemini', () => {
  let server: WireServer;
  let provider: ModelProvider;
  const clock = new ManualClock();

  beforeEach(async () => {
    server = await startWireGemini();
    provider = create();
  });
  afterEach(() => server.close());

  const create = (more = {}): ModelProvider =>
    createGeminiProvider({
      apiKey: () => Promise.resolve('AIza-0123456789'),
      baseUrl: server.url,
      clock,
      random: () => 0.5,
      ...more,
    });
  const ask = (changes = {}): Promise<Heard> =>
    hear((...args) => provider.stream(...args), request({ model, ...changes }), { clock });
  const bodyOf = async (changes = {}): Promise<JsonObject> => {
    await ask(changes);
    return server.requests.at(-1)?.body ?? {};
  };
  const says = async (...raw: readonly JsonObject[]): Promise<ModelReply> => {
    server.reply(({ index }) => (index === 0 ? { raw } : { text: 'Done.' }));
    return (await ask()).reply;
  };
  const answered = (reply: ModelReply): Message[] => [
    userSays('Begin.'),
    { role: 'assistant', content: reply.content },
    {
      role: 'user',
      content: [...callsIn(reply).map(({ id }) => result(id)), { type: 'text', text: 'Go on.' }],
    },
  ];

  describe('keeps signatures', () => {
    const thought = { text: 'Let me see.', thought: true };
    const first = {
      functionCall: { id: 'a', name: 'launch', args: { lr: 1 } },
      thoughtSignature: 'c2lnLWE=',
    };
    const second = { functionCall: { id: 'b', name: 'launch', args: { lr: 2 } } };
    const histories: readonly [
      what: string,
      streamed: readonly JsonObject[],
      replayed: readonly JsonObject[],
    ][] = [
      ['on the first of parallel calls', [first, second], [first, second]],
      [
        'on a call after thoughts and text',
        [thought, { text: 'Now.' }, first],
        [thought, { text: 'Now.' }, first],
      ],
      [
        'on a text, which no other text is joined with',
        [{ text: 'One.' }, { text: ' Two.', thoughtSignature: 'c2ln' }, { text: ' Three.' }],
        [{ text: 'One.' }, { text: ' Two.', thoughtSignature: 'c2ln' }, { text: ' Three.' }],
      ],
      [
        'on the empty text at the end of a text',
        [{ text: 'One' }, { text: ', two.' }, { text: '', thoughtSignature: 'c2ln' }],
        [{ text: 'One, two.' }, { text: '', thoughtSignature: 'c2ln' }],
      ],
      [
        'on a thought, and on nothing before a call',
        [{ ...thought, thoughtSignature: 'dGg=' }, { text: '', thoughtSignature: 'bm8=' }, first],
        [{ ...thought, thoughtSignature: 'dGg=' }, { text: '', thoughtSignature: 'bm8=' }, first],
      ],
    ];
    for (const [what, streamed, replayed] of histories)
      it(what, async () => {
        const reply = await says(...streamed.map((part) => chunk([part])), end());
        // The fake knows only the signatures that it made.
        server.reply(() => ({ text: 'Done.' }));
        await ask({ messages: answered(reply) });
        assert.deepEqual(contentsOf(server.requests[1]?.body ?? {})[1], replayed);
      });

    it('when a call is told without an id', async () => {
      const unnamed = { functionCall: { name: 'launch', args: {} } };
      const reply = await says(chunk([unnamed, unnamed]), end());
      assert.equal(new Set(callsIn(reply).map(({ id }) => id)).size, 2);
      assert.ok(callsIn(reply).every(({ id }) => id !== ''));
    });

    it('and has Google’s own word in the place of one that is gone, where one is wanted', async () => {
      const messages = [
        userSays('Begin.'),
        { role: 'assistant', content: [call('a'), call('b')] },
        { role: 'user', content: [result('a'), result('b')] },
      ];
      const signatures = async (name: string): Promise<unknown[]> =>
        contentsOf(await bodyOf({ model: name, messages }))[1]?.map(
          (part) => part.thoughtSignature,
        ) ?? [];
      assert.deepEqual(await signatures(model), ['skip_thought_signature_validator', undefined]);
      assert.deepEqual(await signatures('gemini-flash-latest'), [
        'skip_thought_signature_validator',
        undefined,
      ]);
      assert.deepEqual(await signatures(older), [undefined, undefined]);
    });

    it('but asks once more without them when they are refused', async () => {
      const item = { before: [], of: 'a', signature: 'Zm9yZ2Vk' };
      const forged = { type: 'thinking', text: '', provider: 'gemini', opaque: { model, item } };
      server.reply(() => ({ text: 'Fine.' }));
      const { reply } = await ask({
        messages: [
          userSays('Begin.'),
          { role: 'assistant', content: [forged, call('a')] },
          { role: 'user', content: [result('a')] },
        ],
      });
      assert.deepEqual([reply.stop, server.requests.length], ['stop', 2]);
    });
  });

  describe('sends', () => {
    const media = (mediaType: string): AttachmentBlock => ({
      type: 'attachment',
      mediaType,
      name: 'it',
      base64: 'AAAA',
    });
    const inline = (mimeType: string) => ({ inlineData: { mimeType, data: 'AAAA' } });

    it('results in the order of their calls, failures as such, and then what was said', async () => {
      const body = await bodyOf({
        messages: [
          userSays('Begin.'),
          { role: 'assistant', content: [call('a'), call('b')] },
          { role: 'user', content: [result('b', { isError: true })] },
          userSays('Well?'),
          { role: 'user', content: [result('a')] },
        ],
      });
      assert.deepEqual(contentsOf(body)[2], [
        { functionResponse: { id: 'a', name: 'launch_a', response: { output: 'ran a' } } },
        { functionResponse: { id: 'b', name: 'launch_b', response: { error: 'ran b' } } },
        { text: 'Well?' },
      ]);
    });

    for (const [name, inside, beside] of [
      [model, [inline('image/png')], [inline('text/csv')]],
      [older, undefined, [inline('image/png'), inline('text/csv')]],
    ] as const)
      it(`attachments of results to ${name}`, async () => {
        const attachments = [media('image/png'), media('text/csv'), media('application/zip')];
        const messages = [
          userSays('Begin.'),
          { role: 'assistant', content: [call('a')] },
          { role: 'user', content: [result('a', { attachments })] },
        ];
        const [answer, ...others] = contentsOf(await bodyOf({ model: name, messages }))[2] ?? [];
        assert.deepEqual((answer?.functionResponse as JsonObject).parts, inside);
        assert.deepEqual(others, [
          ...beside,
          { text: '[it: application/zip cannot be shown to this model]' },
        ]);
      });

    const thinks: readonly [
      model: string,
      effort: Effort | undefined,
      config: JsonObject | undefined,
    ][] = [
      ['gemini-3.8-flash', undefined, { includeThoughts: true }],
      ['gemini-3.8-flash', 'none', { includeThoughts: true, thinkingLevel: 'LOW' }],
      ['gemini-3.8-flash', 'medium', { includeThoughts: true, thinkingLevel: 'MEDIUM' }],
      ['gemini-4-argon', 'max', { includeThoughts: true, thinkingLevel: 'HIGH' }],
      ['gemini-3.5-flash-lite', 'none', { includeThoughts: true, thinkingLevel: 'MINIMAL' }],
      ['gemini-3.1-pro-preview', 'low', { includeThoughts: true, thinkingLevel: 'LOW' }],
      ['gemini-pro-latest', 'none', { includeThoughts: true, thinkingLevel: 'LOW' }],
      ['gemini-2.5-pro', 'none', { includeThoughts: true, thinkingBudget: 512 }],
      ['gemini-2.5-pro', 'max', { includeThoughts: true, thinkingBudget: 32_768 }],
      ['gemini-3.5-flash-lite', 'minimal', { includeThoughts: true, thinkingLevel: 'MINIMAL' }],
      ['gemini-3.8-flash', 'minimal', { includeThoughts: true, thinkingLevel: 'LOW' }],
      ['gemini-3.8-flash', 'xhigh', { includeThoughts: true, thinkingLevel: 'HIGH' }],
      ['gemini-2.5-pro', 'xhigh', { includeThoughts: true, thinkingBudget: 24_000 }],
      ['gemini-2.5-flash', 'minimal', { includeThoughts: true, thinkingBudget: 512 }],
      ['gemini-2.5-flash', 'none', { thinkingBudget: 0 }],
      ['gemini-2.5-flash', 'max', { includeThoughts: true, thinkingBudget: 24_576 }],
      ['gemini-2.0-flash', 'high', undefined],
      ['gemma-4-27b-it', 'high', undefined],
    ];
    for (const [name, effort, config] of thinks)
      it(`${name} the effort ${effort ?? 'of its own'}`, async () => {
        const { generationConfig } = await bodyOf({
          model: name,
          ...(effort && { effort }),
          maxOutputTokens: 900,
        });
        assert.deepEqual(generationConfig, {
          maxOutputTokens: 900,
          ...(config && { thinkingConfig: config }),
        });
      });

    it('by the fetch that it is given, and to no address of the environment', async () => {
      const urls: string[] = [];
      process.env['GOOGLE_GEMINI_BASE_URL'] = 'http://127.0.0.1:9';
      provider = create({
        fetch: (input: string, init: RequestInit) => {
          urls.push(input);
          return fetch(input, init);
        },
      });
      await ask().finally(() => delete process.env['GOOGLE_GEMINI_BASE_URL']);
      assert.deepEqual(urls, [
        `${server.url}/v1beta/models/${model}:streamGenerateContent?alt=sse`,
      ]);
    });
  });

  describe('counts', () => {
    const told: readonly [JsonObject, readonly [input: number, read: number, output: number]][] = [
      [{ promptTokenCount: 1000, candidatesTokenCount: 20 }, [1000, 0, 20]],
      [
        { promptTokenCount: 1000, cachedContentTokenCount: 900, candidatesTokenCount: 20 },
        [100, 900, 20],
      ],
      [{ promptTokenCount: 10, candidatesTokenCount: 20, thoughtsTokenCount: 300 }, [10, 0, 320]],
      [{ promptTokenCount: 10, thoughtsTokenCount: 300 }, [10, 0, 300]],
      [{ promptTokenCount: 10, toolUsePromptTokenCount: 50, candidatesTokenCount: 1 }, [60, 0, 1]],
    ];
    for (const [usageMetadata, [inputTokens, cacheReadTokens, outputTokens]] of told)
      it(JSON.stringify(usageMetadata), async () => {
        const { usage } = await says(
          chunk([{ text: 'Hm' }], {}, { usageMetadata }),
          end('STOP', { usageMetadata: {} }),
        );
        assert.deepEqual(usage, {
          inputTokens,
          cacheReadTokens,
          cacheWriteTokens: 0,
          outputTokens,
        });
      });
  });

  describe('ends', () => {
    const refused = ['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'LANGUAGE'];
    const broken = [
      'MALFORMED_FUNCTION_CALL',
      'UNEXPECTED_TOOL_CALL',
      'TOO_MANY_TOOL_CALLS',
      'OTHER',
    ];
    for (const finish of refused)
      it(`${finish}: refused, and not made anew`, async () => {
        const { failure } = await says(chunk([{ text: 'Hm' }]), end(finish));
        assert.deepEqual([failure?.reason, server.requests.length], ['refused', 1]);
        assert.match(failure?.message ?? '', new RegExp(finish));
      });
    for (const finish of broken)
      it(`${finish}: made anew, and what it cost is told`, async () => {
        const reply = await says(
          end(finish, { usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 5 } }),
        );
        assert.deepEqual([reply.stop, reply.content], ['stop', [{ type: 'text', text: 'Done.' }]]);
        assert.equal(reply.discardedUsage?.outputTokens, 5);
      });
    it('MAX_TOKENS: cut, without the call that it was in', async () => {
      const cut = { functionCall: { name: 'launch', args: {} }, thoughtSignature: 'c2ln' };
      const reply = await says(chunk([{ text: 'So' }, cut]), end('MAX_TOKENS'));
      assert.deepEqual([reply.stop, reply.content], ['length', [{ type: 'text', text: 'So' }]]);
    });
    it('a prompt that is blocked: refused', async () => {
      const { failure } = await says({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } });
      assert.equal(failure?.reason, 'refused');
    });
    it('within an event: a broken connection, made anew', async () => {
      const cut = createServer((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end('data: {"candidates": [{"content": {"pa');
      });
      const url = await listening(cut);
      provider = create({ baseUrl: url, maxRetries: 0 });
      const { reply } = await ask();
      cut.close();
      assert.equal(reply.failure?.reason, 'network');
    });
  });

  describe('fails', () => {
    const tooLong =
      'The input token count (1500000) exceeds the maximum number of tokens allowed (1048576).';
    const errors: readonly [WireError, ModelFailureReason, RegExp?][] = [
      [
        { status: 400, message: 'API key not valid.', kind: 'API_KEY_INVALID' },
        'auth',
        /GEMINI_API_KEY/,
      ],
      [{ status: 400, message: tooLong }, 'overflow'],
      [
        { status: 404, message: 'models/gemini-9 is not found for API version v1beta' },
        'invalid',
        /gemini-9/,
      ],
      [
        { status: 429, message: 'Quota exceeded for free_tier_requests, limit: 0, model: x' },
        'credit',
        /limit: 0/,
      ],
      [{ status: 403, message: 'Permission denied' }, 'auth'],
    ];
    for (const [error, reason, words] of errors)
      it(`${error.status} ${error.kind ?? error.message}: ${reason}`, async () => {
        server.reply(() => error);
        const { reply } = await ask();
        assert.equal(reply.failure?.reason, reason, reply.failure?.message);
        assert.match(reply.failure.message, words ?? /Google Gemini answered/);
        assert.equal(server.requests.length, 1);
      });

    const waits: readonly [WireError, ModelFailureReason, number][] = [
      [{ status: 429, message: 'Quota exceeded.', param: '23.5s' }, 'rate_limit', 23_500],
      [
        { status: 503, message: 'The model is overloaded. Please try again later.' },
        'rate_limit',
        750,
      ],
      [{ status: 503, message: 'The service is currently unavailable.' }, 'server', 750],
      [{ status: 500, message: 'Internal error' }, 'server', 750],
    ];
    for (const [error, reason, delayMs] of waits)
      it(`${error.status} ${error.message}: ${reason}, made anew after ${delayMs} ms`, async () => {
        server.reply(({ index }) => (index === 0 ? error : { text: 'Done.' }));
        const { events } = await ask();
        assert.deepEqual(
          events.flatMap((event) =>
            event.type === 'attempt.discarded' ? [[event.failure.reason, event.delayMs]] : [],
          ),
          [[reason, delayMs]],
        );
      });
  });

  it('knows what its models cost, and takes none that is retiring for a default', () => {
    for (const { id } of provider.models()) assert.ok('usd' in costOf('gemini', id, noUsage), id);
    assert.equal(
      provider.models().find(({ id }) => id === provider.defaultModel)?.isRetiring,
      undefined,
    );
    assert.equal(provider.defaultModel, model);
  });

  it('lists the models that hold conversations', async () => {
    const entry = (
      name: string,
      supportedGenerationMethods: string[],
      more: JsonObject = {},
    ): JsonObject => ({
      name: `models/${name}`,
      displayName: name.toUpperCase(),
      inputTokenLimit: 1_048_576,
      outputTokenLimit: 65_536,
      supportedGenerationMethods,
      ...more,
    });
    server.offer([
      entry('gemini-5-neon', ['generateContent', 'countTokens'], { inputTokenLimit: 2_000_000 }),
      entry('gemini-2.5-pro', ['generateContent']),
      entry('gemini-3.1-flash-tts', ['generateContent']),
      entry('gemini-embedding-2', ['embedContent']),
    ]);
    const models = (await provider.list?.(new AbortController().signal)) ?? [];
    assert.deepEqual(
      models.map(({ id, label, contextTokens, maxOutputTokens, isRetiring }) => [
        id,
        label,
        contextTokens,
        maxOutputTokens,
        isRetiring,
      ]),
      [
        ['gemini-5-neon', 'GEMINI-5-NEON', 2_000_000, 65_536, undefined],
        ['gemini-2.5-pro', 'GEMINI-2.5-PRO', 1_048_576, 65_536, true],
      ],
    );
    assert.equal(server.listings[0]?.headers['x-goog-api-key'], 'AIza-0123456789');
    server.offer({ status: 400, message: 'API key not valid.', kind: 'API_KEY_INVALID' });
    await assert.rejects(async () => provider.list?.(new AbortController().signal), {
      reason: 'call_failed',
    });
  });
});

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
