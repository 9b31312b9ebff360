import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { parseSignedIn, signedInText } from '../../../src/models/chatgpt/signedIn.ts';
import { tokensName } from '../../../src/models/chatgpt/signedIn.ts';
import { ChatgptTokens, damagedName } from '../../../src/models/chatgpt/tokens.ts';
import { CallFailed } from '../../../src/models/guarded.ts';
import type { ModelFailureReason } from '../../../src/models/model.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { OauthServer } from '../../fakes/oauthServer.ts';
import { until } from '../../fakes/scratch.ts';
import { MemoryStore } from './chatgptStore.ts';

describe('the tokens of ChatGPT', () => {
  let clock: ManualClock;
  let auth: OauthServer;
  let store: MemoryStore;
  beforeEach(async () => {
    clock = new ManualClock();
    auth = await OauthServer.start();
    store = new MemoryStore();
  });
  afterEach(async () => {
    await auth.close();
    assert.equal(clock.pendingTimers, 0, 'no timer is left behind');
  });

  /** One process of those that share the sign-in. */
  const open = (): ChatgptTokens => new ChatgptTokens({ clock, store, authUrl: auth.url });
  const signIn = (seconds = 3600) => {
    auth.lives(seconds);
    const tokens = store.signIn(auth.tokens(), clock);
    auth.lives(3600);
    return tokens;
  };
  /** Moves time on until it is settled. */
  async function through<T>(pending: Promise<T>): Promise<T> {
    let isSettled = false;
    pending.then(
      () => (isSettled = true),
      () => (isSettled = true),
    );
    while (!isSettled) await clock.advance(100);
    return pending;
  }
  /** Long enough for an answer that is on its way. */
  const isQuiet = async (): Promise<boolean> => {
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    return true;
  };
  const fails = (
    pending: Promise<unknown>,
    reason: ModelFailureReason,
    words: RegExp,
  ): Promise<void> =>
    assert.rejects(through(pending), (error) => {
      assert.ok(error instanceof CallFailed);
      assert.equal(error.failure.reason, reason);
      assert.match(error.message, words);
      return true;
    });

  it('are used as they are until five minutes before they end', async () => {
    const kept = signIn(3600);
    await clock.advance(3_299_000);
    assert.deepEqual(await open().current(), kept);
    await clock.advance(1_000);
    const fresh = await open().current();
    assert.notEqual(fresh.accessToken, kept.accessToken);
    assert.deepEqual(store.tokens(), fresh);
    assert.deepEqual(auth.tokenRequests[0]?.contentType, 'application/json');
  });

  it('are renewed once for twenty calls', async () => {
    signIn(60);
    const tokens = open();
    const all = await Promise.all(Array.from({ length: 20 }, () => tokens.current()));
    assert.equal(new Set(all.map(({ accessToken }) => accessToken)).size, 1);
    assert.equal(auth.tokenRequests.length, 1);
  });

  it('are renewed once for calls that were all refused', async () => {
    const refused = signIn();
    const tokens = open();
    const all = await Promise.all(Array.from({ length: 20 }, () => tokens.renewed(refused)));
    assert.ok(
      all.every(
        ({ accessToken }) => auth.isGood(accessToken) && accessToken !== refused.accessToken,
      ),
    );
    await tokens.renewed(refused);
    assert.equal(auth.tokenRequests.length, 1);
  });

  it('are taken from another process that has renewed them', async () => {
    const refused = signIn();
    const [here, there] = [open(), open()];
    const fresh = await there.renewed(refused);
    assert.deepEqual(await here.renewed(refused), fresh);
    assert.equal(auth.tokenRequests.length, 1);
  });

  it('are those of the process that came first, where two renew at once', async () => {
    const refused = signIn();
    let isFirst = true;
    let letFirst = (): void => undefined;
    // The first has its tokens, and has not stored them yet, when the second is refused.
    auth.before = async () => {
      if (!isFirst) return;
      isFirst = false;
      await new Promise<void>((resolve) => (letFirst = resolve));
    };
    const first = open().renewed(refused);
    while (auth.tokenRequests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const second = open().renewed(refused);
    const fresh = await second;
    letFirst();
    assert.deepEqual(await through(first), fresh);
    assert.deepEqual(store.tokens(), fresh);
    assert.ok(!store.written.includes(undefined), 'nothing was forgotten');
  });

  it('are waited for where another process has got them and not stored them yet', async () => {
    const refused = signIn();
    const stored = Promise.withResolvers<void>();
    store.hold = stored.promise;
    const first = open().renewed(refused);
    while (store.hold !== undefined) await new Promise((resolve) => setImmediate(resolve));
    const second = open().renewed(refused);
    const heard = second.then(
      (tokens) => tokens,
      (error: unknown) => error,
    );
    await until('the second waits', async () => {
      await clock.advance(1);
      return auth.tokenRequests.length === 2 && (await isQuiet());
    });
    stored.resolve();
    const fresh = await first;
    assert.deepEqual(await through(heard), fresh);
    assert.deepEqual(store.tokens(), fresh);
    assert.equal(auth.tokenRequests.length, 2);
  });

  it('are not overwritten by older ones', async () => {
    const refused = signIn();
    const newer = {
      ...refused,
      accessToken: 'newer',
      refreshToken: 'r-newer',
      expiresAtMs: clock.now() + 9e6,
    };
    auth.before = () => Promise.resolve(void store.values.set(tokensName, signedInText(newer)));
    assert.deepEqual(await open().renewed(refused), newer);
    assert.deepEqual(store.tokens(), newer);
  });

  it('are not stored again after a sign-out', async () => {
    const refused = signIn();
    auth.before = () => Promise.resolve(void store.values.delete(tokensName));
    await fails(open().renewed(refused), 'auth', /signed out/);
    assert.equal(store.values.has(tokensName), false);
  });

  it('are forgotten when the service takes them no more, with advice', async () => {
    const { refreshToken } = signIn(60);
    auth.revoke();
    const tokens = open();
    await fails(
      tokens.current(),
      'auth',
      /has ended.*refresh_token_reused.*\[secret\].*helios auth login/,
    );
    assert.deepEqual([...store.values.keys()], []);
    assert.ok(!JSON.stringify(auth.trouble ?? '').includes(refreshToken));
    await fails(tokens.current(), 'auth', /You are not signed in/);
    assert.equal((await tokens.readiness()).isReady, false);
  });

  const troubles = [
    ['fails', [503, 'down'], 'server'],
    ['answers what is no answer', [200, 'hello'], 'server'],
    ['is not what it seems', [400, '<html>proxy</html>'], 'server'],
  ] as const;
  for (const [what, trouble, reason] of troubles)
    it(`stay where the service ${what}`, async () => {
      const kept = signIn();
      auth.trouble = trouble;
      await fails(open().renewed(kept), reason, /could not be renewed/);
      assert.deepEqual(store.tokens(), kept);
    });

  it('stay where the service cannot be reached, or does not answer', async () => {
    const kept = signIn();
    auth.trouble = 'hang';
    await fails(open().renewed(kept), 'network', /could not be renewed/);
    const nowhere = new ChatgptTokens({ clock, store, authUrl: 'http://127.0.0.1:1' });
    await fails(nowhere.renewed(kept), 'network', /cannot be reached/);
    assert.deepEqual(store.tokens(), kept);
  });

  it('are used to their end where they cannot be renewed before', async () => {
    const kept = signIn(200);
    auth.trouble = [503, 'down'];
    assert.deepEqual(await open().current(), kept);
    await clock.advance(200_000);
    await fails(open().current(), 'server', /503/);
  });

  it('are kept by this process where they cannot be stored, and stored the next time', async () => {
    const refused = signIn(900);
    const tokens = open();
    store.fault = new Error('no space left');
    auth.lives(900);
    const fresh = await tokens.renewed(refused);
    assert.deepEqual(store.tokens(), refused);
    assert.deepEqual(await tokens.current(), fresh);
    store.fault = undefined;
    await clock.advance(700_000);
    const last = await tokens.current();
    assert.deepEqual(store.tokens(), last);
    assert.equal(auth.tokenRequests.length, 2);
  });

  for (const text of ['{"accessToken":', '[]', '{"accessToken":"a"}', 'sk-not-tokens'])
    it(`that are damaged (${text}) are kept aside, with a clear word`, async () => {
      store.values.set(tokensName, text);
      const tokens = open();
      await fails(tokens.current(), 'auth', /damaged.*saved as chatgpt-damaged.*helios auth login/);
      assert.deepEqual([...store.values], [[damagedName, text]]);
      await fails(tokens.current(), 'auth', /You are not signed in/);
    });

  it('that are damaged are kept aside also by whoever asks whether they are there', async () => {
    store.values.set(tokensName, 'half');
    assert.deepEqual(await open().readiness(), {
      isReady: false,
      problem: 'The stored ChatGPT sign-in is damaged. It was saved as chatgpt-damaged.',
      action: 'Sign in with: helios auth login, or with “Helios: Sign In to ChatGPT” in VS Code.',
    });
    assert.deepEqual([...store.values], [[damagedName, 'half']]);
  });

  it('keep the account where a renewal does not name it again', async () => {
    const kept = { ...signIn(), plan: 'pro', email: 'ada@lab.org' };
    store.values.set(tokensName, signedInText(kept));
    auth.trouble = [200, { access_token: 'opaque', expires_in: 60 }];
    assert.deepEqual(await open().renewed(kept), {
      ...kept,
      accessToken: 'opaque',
      expiresAtMs: clock.now() + 60_000,
    });
  });

  it('are read only when they are whole', () => {
    const tokens = signIn();
    assert.deepEqual(parseSignedIn(signedInText(tokens)), tokens);
    assert.equal(parseSignedIn(signedInText({ ...tokens, accountId: '' })), undefined);
  });
});
