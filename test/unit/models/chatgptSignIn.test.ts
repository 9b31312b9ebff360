import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { UserFacing } from '../../../src/base/errors.ts';
import { CallbackServer } from '../../../src/models/chatgpt/callbackServer.ts';
import { claimsOf } from '../../../src/models/chatgpt/claims.ts';
import { openSignIn, SignInCancelled, type OpenSignIn } from '../../../src/models/chatgpt/oauth.ts';
import { freePort } from '../../fakes/freePort.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { OauthServer } from '../../fakes/oauthServer.ts';

/** The addresses of `localhost` that this computer has, as in a URL. */
const loopbacks = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .map(({ address }) => (address === '::1' ? '[::1]' : address))
  .filter((address) => ['127.0.0.1', '[::1]'].includes(address));

describe('signing in to ChatGPT', () => {
  const clock = new ManualClock();
  let auth: OauthServer;
  let abort: AbortController;
  let opened: OpenSignIn[];
  beforeEach(async () => {
    auth = await OauthServer.start();
    abort = new AbortController();
    opened = [];
  });
  afterEach(async () => {
    abort.abort();
    await Promise.allSettled(opened.map(({ done }) => done));
    await auth.close();
    assert.equal(clock.pendingTimers, 0, 'no timer is left behind');
  });

  async function open(
    options: { ports?: readonly number[]; timeoutMs?: number } = {},
  ): Promise<OpenSignIn> {
    const signIn = await openSignIn(
      { clock, authUrl: auth.url, ports: [0], ...options },
      abort.signal,
    );
    opened.push(signIn);
    return signIn;
  }
  const isFree = async (port: number): Promise<boolean> => {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
    return true;
  };
  const rejects = (signIn: OpenSignIn, words: RegExp): Promise<void> =>
    assert.rejects(signIn.done, (error) => {
      assert.ok(error instanceof UserFacing);
      assert.match(`${error.message} ${error.action}`, words);
      return true;
    });

  it('gives the tokens, the account and its plan, and frees its port', async () => {
    const signIn = await open();
    const page = await auth.visit(signIn.address);
    assert.equal(page.status, 200);
    assert.match(page.text, /Signed in.*window\.close/s);
    const tokens = await signIn.done;
    assert.deepEqual(
      { ...tokens, accessToken: '', refreshToken: '' },
      {
        accessToken: '',
        refreshToken: '',
        expiresAtMs: clock.now() + 3_600_000,
        accountId: 'acc-1234',
        plan: 'plus',
        email: 'ada@lab.org',
      },
    );
    assert.ok(auth.isGood(tokens.accessToken));
    assert.equal(claimsOf(tokens.accessToken).accountId, 'acc-1234');
    assert.ok(await isFree(signIn.port));
  });

  it('asks as the public client of the service does, with PKCE', async () => {
    const address = new URL((await open()).address);
    const asked = Object.fromEntries(address.searchParams);
    assert.match(asked['redirect_uri'] ?? '', /^http:\/\/localhost:\d+\/auth\/callback$/);
    assert.deepEqual(
      [
        asked['code_challenge_method'],
        asked['id_token_add_organizations'],
        asked['codex_cli_simplified_flow'],
      ],
      ['S256', 'true', 'true'],
    );
    const other = new URL((await open()).address).searchParams;
    for (const name of ['state', 'code_challenge']) assert.notEqual(other.get(name), asked[name]);
  });

  const foreign = [
    ['another state', (back: URL) => back.searchParams.set('state', 'f'.repeat(64))],
    ['no state', (back: URL) => back.searchParams.delete('state')],
  ] as const;
  for (const [what, change] of foreign)
    it(`takes no callback with ${what}, and goes on waiting`, async () => {
      const signIn = await open();
      const back = new URL(await auth.redirected(signIn.address));
      const right = back.href;
      change(back);
      assert.equal((await fetch(back)).status, 400);
      assert.equal(auth.tokenRequests.length, 0);
      assert.equal((await fetch(right)).status, 200);
      await signIn.done;
    });

  it('listens on both addresses of localhost, and on no other', async () => {
    const signIn = await open();
    const urls = loopbacks.map((host) => `http://${host}:${signIn.port}/`);
    for (const url of urls) assert.equal((await fetch(url)).status, 404);
    await assert.rejects(fetch(`http://127.0.0.2:${signIn.port}/`));
    const right = await auth.redirected(signIn.address);
    assert.equal((await fetch(right.replace('localhost', loopbacks.at(-1) ?? ''))).status, 200);
    await signIn.done;
    for (const url of urls) await assert.rejects(fetch(url));
  });

  it('takes no port of which another program has one of the addresses', async () => {
    for (const host of loopbacks) {
      const taken = createServer().listen(0, host.replace(/[[\]]/g, ''));
      await once(taken, 'listening');
      const { port } = taken.address() as AddressInfo;
      const next = await freePort();
      assert.equal((await open({ ports: [port, next] })).port, next);
      await assert.rejects(open({ ports: [port] }), /another program uses it/);
      taken.close();
      for (const other of loopbacks)
        await assert.rejects(fetch(`http://${other}:${port}/`), 'the other address is left free');
    }
  });

  it('ignores an address that the computer does not have', async () => {
    const take = () => Promise.resolve({ status: 200, title: 't', text: 'x' } as const);
    const hosts = ['127.0.0.1', '2001:db8::1'];
    const server = await CallbackServer.listen([0], take, hosts);
    assert.equal((await fetch(`http://127.0.0.1:${server.port}/`)).status, 404);
    server.close();
    await assert.rejects(CallbackServer.listen([0], take, hosts.slice(1)), /another program/);
  });

  it('answers to nothing but its callback', async () => {
    const signIn = await open();
    const { origin, href } = new URL(
      (await auth.redirected(signIn.address)).replace('localhost', '127.0.0.1'),
    );
    for (const [path, method] of [
      [`${origin}/`, 'GET'],
      [`${origin}/favicon.ico`, 'GET'],
      [href, 'POST'],
    ] as const)
      assert.equal((await fetch(path, { method })).status, 404, path);
  });

  it('takes one callback, and says of a second that it is over', async () => {
    const signIn = await open();
    const back = await auth.redirected(signIn.address);
    let answer = (): void => undefined;
    auth.before = () => new Promise((resolve) => (answer = resolve));
    const first = fetch(back);
    while (auth.tokenRequests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const second = await fetch(back);
    assert.equal(second.status, 409);
    assert.match(await second.text(), /has already ended/);
    answer();
    assert.equal((await first).status, 200);
    await signIn.done;
    assert.equal(auth.tokenRequests.length, 1);
  });

  const refusals = [
    ['the user says no', () => (auth.consent = 'deny'), /declined.*Sign in again/],
    [
      'the service has an error',
      () => (auth.consent = 'error'),
      /refused: Something <b>broke<\/b>/,
    ],
    [
      'the code is not taken',
      () => (auth.trouble = [400, { error: 'invalid_grant' }]),
      /answered 400: invalid_grant/,
    ],
    ['the tokens do not come', () => (auth.trouble = [200, 'no json']), /answered without tokens/],
    ['the service fails', () => (auth.trouble = [503, 'down']), /answered 503/],
    [
      'no account is named',
      () => (auth.trouble = [200, { access_token: 'a', refresh_token: 'r' }]),
      /names no ChatGPT/,
    ],
  ] as const;
  for (const [what, arrange, words] of refusals)
    it(`says so where ${what}, to the user and in the browser`, async () => {
      arrange();
      const signIn = await open();
      const page = await auth.visit(signIn.address);
      assert.equal(page.status, 409);
      assert.match(page.text, /Not signed in/);
      assert.doesNotMatch(page.text, /<b>/);
      await rejects(signIn, words);
      assert.ok(await isFree(signIn.port));
    });

  it('says neither code nor verifier when the service repeats them', async () => {
    const signIn = await open();
    const back = await auth.redirected(signIn.address);
    const code = new URL(back).searchParams.get('code') ?? '';
    auth.trouble = [400, { error: 'invalid_grant', error_description: `no code ${code}` }];
    assert.ok(!(await (await fetch(back)).text()).includes(code));
    await rejects(signIn, /no code \[secret\]/);
  });

  it('takes a code once', async () => {
    const first = await open();
    const code = new URL(await auth.redirected(first.address)).searchParams.get('code') ?? '';
    await fetch(await auth.redirected(first.address));
    await first.done;
    const second = await open();
    const back = new URL(await auth.redirected(second.address));
    back.searchParams.set('code', code);
    await fetch(back);
    await rejects(second, /invalid_grant/);
  });

  it('waits five minutes', async () => {
    const signIn = await open();
    await clock.advance(299_999);
    assert.equal(clock.pendingTimers, 1);
    await clock.advance(1);
    await rejects(signIn, /The sign-in timed out after 5 min\. Start/);
    assert.ok(await isFree(signIn.port));
  });

  for (const moment of ['while it waits', 'while the tokens are fetched'] as const)
    it(`ends at once when it is cancelled ${moment}`, async () => {
      auth.trouble = 'hang';
      const signIn = await open();
      if (moment === 'while the tokens are fetched') {
        void auth.visit(signIn.address).catch(() => undefined);
        while (auth.tokenRequests.length === 0)
          await new Promise((resolve) => setImmediate(resolve));
      }
      abort.abort();
      await assert.rejects(signIn.done, SignInCancelled);
      assert.ok(await isFree(signIn.port));
    });

  it('is cancelled before it began', async () => {
    abort.abort();
    await assert.rejects((await open()).done, SignInCancelled);
  });

  it('takes the second port where the first is taken, and says when both are', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    try {
      const signIn = await open({ ports: [port, 0] });
      assert.notEqual(signIn.port, port);
      await assert.rejects(open({ ports: [port] }), (error) => {
        assert.ok(error instanceof UserFacing);
        assert.equal(
          error.message,
          `The sign-in needs port ${port} on this computer, but another program uses it.`,
        );
        assert.match(error.action ?? '', /Close that program/);
        return true;
      });
    } finally {
      taken.close();
    }
  });

  describe('by hand, where the browser cannot come back', () => {
    it('takes the address that the browser was sent to', async () => {
      const signIn = await open();
      await signIn.paste(`  ${await auth.redirected(signIn.address)} \n`);
      assert.equal((await signIn.done).accountId, 'acc-1234');
    });

    const wrong = [
      '',
      'yes',
      'http://localhost:1455/auth/callback',
      'http://localhost:1455/auth/callback?code=1',
    ];
    for (const address of wrong)
      it(`says what is needed instead of “${address}”, and goes on waiting`, async () => {
        const signIn = await open();
        await assert.rejects(signIn.paste(address), (error) => {
          assert.ok(error instanceof UserFacing);
          assert.match(`${error.message} ${error.action}`, /not the address.*\?code=/);
          return true;
        });
        await signIn.paste(await auth.redirected(signIn.address));
        await signIn.done;
      });

    it('refuses the answer to another sign-in', async () => {
      const signIn = await open();
      const other = await open();
      await assert.rejects(
        signIn.paste(await auth.redirected(other.address)),
        /does not belong to the current sign-in/,
      );
    });
  });
});
