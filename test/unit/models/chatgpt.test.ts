import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Clock } from '../../../src/base/clock.ts';
import { createChatgptProvider } from '../../../src/models/chatgpt/chatgptProvider.ts';
import type { SignedIn } from '../../../src/models/chatgpt/signedIn.ts';
import { ChatgptTokens } from '../../../src/models/chatgpt/tokens.ts';
import { CallFailed } from '../../../src/models/guarded.ts';
import type { ModelProvider } from '../../../src/models/model.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { OauthServer } from '../../fakes/oauthServer.ts';
import { list, text, type JsonObject, type WireServer } from '../../fakes/wire.ts';
import { startWireChatgpt, usageLimit } from '../../fakes/wireChatgpt.ts';
import { behavesAsAProvider } from './contract.ts';
import { callsIn, hear, request, textOf, userSays } from './conversing.ts';
import { MemoryStore } from './chatgptStore.ts';

const ofType = (body: JsonObject, type: string): JsonObject[] =>
  list(body.input).filter((item) => item.type === type);
const hourMs = 3_600_000;

const tokensWith = (accessToken: string, nowMs: number): SignedIn => ({
  accessToken,
  refreshToken: 'refresh-0',
  expiresAtMs: nowMs + hourMs,
  accountId: 'acc-1234',
});

/** Short waits are over at once; the contract's own clock counts those between attempts. */
const impatient = (clock: Clock): Clock => ({
  now: () => clock.now(),
  after(delayMs, callback) {
    if (delayMs > 1000) return clock.after(delayMs, callback);
    const immediate = setImmediate(callback);
    return { dispose: () => clearImmediate(immediate) };
  },
});

behavesAsAProvider({
  name: 'chatgpt',
  model: 'gpt-5.4',
  start: startWireChatgpt,
  whenRefused: /sign-in has ended.*helios auth login.*Sign In to ChatGPT/,
  create: ({ apiKey, baseUrl, clock, random }) => {
    const read = async (): Promise<string> =>
      JSON.stringify(tokensWith((await apiKey()) ?? '', clock.now()) satisfies SignedIn);
    const tokens = new ChatgptTokens({
      clock: impatient(clock),
      store: { read, write: () => Promise.resolve() },
      fetch: () => Promise.resolve(Response.json({ error: 'invalid_grant' }, { status: 400 })),
    });
    return createChatgptProvider({ tokens, baseUrl, clock, random });
  },
  sent: {
    system: (body) => text(body.instructions),
    tools: (body) => list(body.tools).map(({ name }) => text(name)),
    results: (body) => ofType(body, 'function_call_output').map((item) => text(item.call_id)),
    thinking: (body) => ofType(body, 'reasoning').map((item) => text(list(item.summary)[0]?.text)),
  },
});

describe('chatgpt', () => {
  const clock = new ManualClock();
  let auth: OauthServer;
  let server: WireServer;
  let store: MemoryStore;
  let provider: ModelProvider;

  beforeEach(async () => {
    auth = await OauthServer.start();
    server = await startWireChatgpt(() => ({ text: 'Yes.' }), {
      isGood: (token) => auth.isGood(token),
    });
    store = new MemoryStore();
    const tokens = new ChatgptTokens({ clock, store, authUrl: auth.url });
    provider = createChatgptProvider({ tokens, clock, baseUrl: server.url, random: () => 0.5 });
    store.signIn(auth.tokens(), clock);
  });
  afterEach(async () => {
    await server.close();
    await auth.close();
    assert.equal(clock.pendingTimers, 0);
  });

  const ask = (changes = {}) =>
    hear((...args) => provider.stream(...args), request({ model: 'gpt-5.4', ...changes }), {
      clock,
    });
  const never = new AbortController().signal;

  it('speaks the dialect of its back end', async () => {
    await ask({ conversation: 's-1', maxOutputTokens: 500, tools: [], effort: 'high' });
    const { body = {}, headers = {} } = server.requests[0] ?? {};
    const {
      store: stores,
      stream,
      include,
      tool_choice,
      parallel_tool_calls,
      prompt_cache_key,
      reasoning,
    } = body;
    assert.deepEqual(
      { stores, stream, include, tool_choice, parallel_tool_calls, prompt_cache_key, reasoning },
      {
        stores: false,
        stream: true,
        include: ['reasoning.encrypted_content'],
        tool_choice: 'auto',
        parallel_tool_calls: true,
        prompt_cache_key: 's-1',
        reasoning: { summary: 'auto', effort: 'high' },
      },
    );
    assert.equal('max_output_tokens' in body, false);
    assert.deepEqual(
      [headers['chatgpt-account-id'], headers.originator, headers.session_id],
      ['acc-1234', 'helios', 's-1'],
    );
  });

  it('is paid by the plan', () => assert.equal(provider.billing, 'plan'));

  it('keeps its reasoning across turns', async () => {
    server.reply(({ index }) =>
      index === 0
        ? { thinking: 'Hm.', toolCalls: [{ name: 'launch', input: {} }] }
        : { text: 'Done.' },
    );
    const { reply } = await ask();
    const results = callsIn(reply).map(({ id }) => ({
      type: 'tool_result',
      callId: id,
      text: 'ok',
      isError: false,
    }));
    await ask({
      messages: [
        userSays('Go.'),
        { role: 'assistant', content: reply.content },
        { role: 'user', content: results },
      ],
    });
    assert.equal(ofType(server.requests[1]?.body ?? {}, 'reasoning').length, 1);
  });

  it('renews its tokens in the middle of a session, and nobody sees it', async () => {
    await ask();
    auth.expire();
    const { events, reply } = await ask();
    assert.equal(textOf(reply), 'Yes.');
    assert.deepEqual(
      events.filter(({ type }) => type === 'attempt.discarded'),
      [],
    );
    assert.equal(auth.tokenRequests.length, 1);
    assert.equal(server.requests.length, 3);
  });

  it('renews them before they end', async () => {
    auth.lives(600);
    store.signIn(auth.tokens(), clock);
    await clock.advance(301_000);
    assert.equal((await ask()).reply.stop, 'stop');
    assert.deepEqual([auth.tokenRequests.length, server.requests.length], [1, 1]);
  });

  it('says how to sign in where nobody is, without a request', async () => {
    store.values.clear();
    const { reply } = await ask();
    assert.equal(reply.failure?.reason, 'auth');
    assert.match(reply.failure.message, /You are not signed in.*helios auth login/);
    assert.equal(server.requests.length, 0);
    assert.deepEqual((await provider.readiness?.())?.isReady, false);
  });

  it('never says a token, whatever the back end says', async () => {
    const { accessToken, refreshToken } = store.tokens();
    server.reply(() => ({ status: 403, message: `${accessToken} may not` }));
    const { reply } = await ask();
    assert.match(reply.failure?.message ?? '', /\[key\] may not/);
    auth.expire();
    auth.revoke();
    const asked = ask();
    await server.received(2);
    await advanceUntilSettled(asked);
    const { failure } = (await asked).reply;
    assert.match(failure?.message ?? '', /has ended/);
    assert.ok(!failure?.message.includes(refreshToken));
  });

  async function advanceUntilSettled(pending: Promise<unknown>): Promise<void> {
    let isSettled = false;
    void pending.finally(() => (isSettled = true));
    while (!isSettled) await clock.advance(400);
  }

  describe('at the limit of the plan', () => {
    const soon = 7200;
    const cases = [
      ['in seconds', { resets_in_seconds: soon, plan_type: 'plus' }],
      ['at a time', { resets_at: clock.now() / 1000 + soon, plan_type: 'plus' }],
    ] as const;
    for (const [how, extra] of cases)
      it(`says when it resets, told ${how}, and does not ask again`, async () => {
        server.reply(() =>
          usageLimit(
            'resets_at' in extra ? { ...extra, resets_at: clock.now() / 1000 + soon } : extra,
          ),
        );
        const { failure } = (await ask()).reply;
        assert.deepEqual([failure?.reason, failure?.retryAfterMs], ['rate_limit', soon * 1000]);
        assert.match(
          failure?.message ?? '',
          /plan \(plus\).*resets in 2 h.*at 2026-01-01 \d\d:\d\d UTC/,
        );
        assert.equal(server.requests.length, 1);
      });

    it('waits where it resets in a moment', async () => {
      server.reply(({ index }) =>
        index === 0 ? usageLimit({ resets_in_seconds: 30 }) : { text: 'Yes.' },
      );
      const { events, reply } = await ask();
      assert.equal(reply.stop, 'stop');
      assert.deepEqual(
        events.flatMap((event) => (event.type === 'attempt.discarded' ? [event.delayMs] : [])),
        [30_000],
      );
    });

    it('does not wait where the plan does not include it', async () => {
      server.reply(() => usageLimit({ plan_type: 'free' }, 'usage_not_included'));
      const { failure } = (await ask()).reply;
      assert.equal(failure?.reason, 'auth');
      assert.match(failure.message, /plan \(free\) does not include/);
    });
  });

  it('reads what the back end says in its own form', async () => {
    server.reply(() => ({ status: 400, message: 'Unsupported parameter: foo' }));
    assert.match(
      (await ask()).reply.failure?.message ?? '',
      /answered 400: Unsupported parameter: foo/,
    );
  });

  describe('lists the models of the plan', () => {
    it('as the back end tells of them, without the hidden ones', async () => {
      server.offer([
        {
          slug: 'gpt-7',
          display_name: 'GPT-7',
          context_window: 500_000,
          visibility: 'list',
          input_modalities: ['text'],
          supported_reasoning_levels: [{ effort: 'low' }, { effort: 'xhigh' }],
          upgrade: null,
        },
        {
          slug: 'gpt-5.3-codex',
          display_name: null,
          visibility: 'list',
          upgrade: { model: 'gpt-7' },
        },
        { slug: 'internal', visibility: 'hide' },
      ]);
      assert.deepEqual(await provider.list?.(never), [
        {
          id: 'gpt-7',
          label: 'GPT-7',
          contextTokens: 628_000,
          maxOutputTokens: 128_000,
          acceptsImages: false,
          efforts: ['low', 'xhigh'],
        },
        {
          id: 'gpt-5.3-codex',
          label: 'GPT-5.3 Codex',
          contextTokens: 400_000,
          maxOutputTokens: 128_000,
          efforts: ['low', 'medium', 'high', 'xhigh'],
          isRetiring: true,
        },
      ]);
      const [{ path = '', headers = {} } = {}] = server.listings;
      assert.match(path, /client_version=/);
      assert.equal(headers['chatgpt-account-id'], 'acc-1234');
    });

    it('after renewing its tokens, where they have ended', async () => {
      auth.lives(1);
      store.signIn(auth.tokens(), clock);
      server.offer([]);
      assert.deepEqual(await provider.list?.(never), []);
      assert.equal(auth.tokenRequests.length, 1);
    });

    for (const [status, reason] of [
      [403, 'auth'],
      [500, 'server'],
    ] as const)
      it(`fails as ${reason} on ${status}, without the token in its words`, async () => {
        server.offer({ status, message: `${store.tokens().accessToken} is wrong` });
        await assert.rejects(provider.list?.(never) ?? Promise.resolve(), (error) => {
          assert.ok(error instanceof CallFailed);
          assert.equal(error.failure.reason, reason);
          assert.match(error.message, /\[key\] is wrong/);
          return true;
        });
      });
  });

  describe('searches the web', () => {
    const sources = [
      { title: 'Chinchilla', url: 'https://arxiv.example/1' },
      { title: 'Chinchilla', url: 'https://arxiv.example/1' },
    ];
    const search = (signal = never) =>
      provider.search?.({ model: 'gpt-5.4', query: 'scaling laws' }, signal) ??
      assert.fail('no search');

    it('by the tool of its back end', async () => {
      server.reply(() => ({ text: 'About 20 tokens per parameter.', sources }));
      const { text: said, sources: found, failure, usage, model } = await search();
      assert.deepEqual(
        [said, failure, model],
        ['About 20 tokens per parameter.', undefined, 'gpt-5.4'],
      );
      assert.deepEqual(found, [{ title: 'Chinchilla', url: 'https://arxiv.example/1' }]);
      assert.ok(usage.inputTokens > 0);
      const { body = {} } = server.requests[0] ?? {};
      assert.deepEqual(body.tools, [{ type: 'web_search', search_context_size: 'medium' }]);
      assert.ok(JSON.stringify(body.input).includes('scaling laws'));
    });

    it('and says why it did not', async () => {
      server.reply(() => usageLimit({ resets_in_seconds: 7200 }));
      const { failure, sources: found } = await search();
      assert.deepEqual([failure?.reason, found], ['rate_limit', []]);
      server.reply(() => ({}));
      assert.equal((await search()).failure?.reason, 'server');
      assert.equal((await search(AbortSignal.abort())).failure?.reason, 'network');
    });
  });
});
