import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { runCli } from '../../../src/cli/cli.ts';
import { fakeDeps, type FakeDeps, type FakeDepsOptions } from '../../fakes/cliDeps.ts';
import { OauthServer } from '../../fakes/oauthServer.ts';
import { scratchFolder, until } from '../../fakes/scratch.ts';
import type { WireServer } from '../../fakes/wire.ts';
import { startWireChatgpt } from '../../fakes/wireChatgpt.ts';

describe('helios auth', () => {
  const folder = scratchFolder();
  let auth: OauthServer;
  let server: WireServer;
  beforeEach(async () => {
    auth = await OauthServer.start();
    server = await startWireChatgpt(() => ({ text: 'By hand.' }), {
      isGood: (token) => auth.isGood(token),
    });
  });
  afterEach(async () => {
    await server.close();
    await auth.close();
  });

  const file = (name = 'chatgpt'): string => path.join(folder(), 'home/auth', name);
  const stored = (): { accessToken: string; refreshToken: string } =>
    JSON.parse(readFileSync(file(), 'utf8')) as { accessToken: string; refreshToken: string };
  const world = ({ env = {}, ...options }: Partial<FakeDepsOptions> = {}): FakeDeps =>
    fakeDeps({
      folder: folder(),
      env: { CHATGPT_AUTH_URL: auth.url, CHATGPT_BASE_URL: server.url, ...env },
      ...options,
    });
  const helios = async (it: FakeDeps, ...argv: string[]): Promise<number> => runCli(argv, it);
  const addressIn = (text: string): string =>
    /http:\S+\/oauth\/authorize\?\S+/.exec(text)?.[0] ?? '';
  /** Signs in as a user with a browser does. */
  async function login(it = world()): Promise<number> {
    const code = helios(it, 'auth', 'login');
    await until('the address is shown', () => addressIn(it.stdout.text) !== '');
    await auth.visit(addressIn(it.stdout.text));
    return code;
  }

  describe('login', () => {
    it('opens the browser, keeps the tokens for their owner alone, and shows none', async () => {
      const it = world();
      assert.equal(await login(it), 0);
      assert.deepEqual(it.opened, [addressIn(it.stdout.text)]);
      assert.match(
        it.stdout.text,
        /Signed in as ada@lab\.org \(plus\)\. Use it with: helios -P chatgpt/,
      );
      assert.equal(statSync(file()).mode & 0o777, 0o600);
      assert.equal(statSync(path.dirname(file())).mode & 0o777, 0o700);
      const { accessToken, refreshToken } = stored();
      for (const token of [accessToken, refreshToken])
        assert.ok(!`${it.stdout.text}${it.stderr.text}`.includes(token));
    });

    it('closes a folder of keys that others can read', async () => {
      mkdirSync(path.dirname(file()), { recursive: true, mode: 0o755 });
      chmodSync(path.dirname(file()), 0o755);
      await login();
      assert.equal(statSync(path.dirname(file())).mode & 0o777, 0o700);
    });

    it('takes the address by hand in a terminal, and says what is wrong with another', async () => {
      const it = world({ isTerminal: true });
      const code = helios(it, 'auth', 'login', 'chatgpt');
      await until('the address is shown', () => it.stdout.text.includes('Waiting'));
      assert.match(it.stdout.text, /paste its address here/);
      it.stdin.write('http://localhost:1455/\n');
      await until('it is refused', () => it.stderr.text.includes('not the address'));
      it.stdin.write(`${await auth.redirected(addressIn(it.stdout.text))}\n`);
      assert.equal(await code, 0);
      assert.ok(existsSync(file()));
    });

    it('opens no browser over SSH, and says how to forward the port', async () => {
      const it = world({ env: { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' } });
      assert.equal(await login(it), 0);
      assert.deepEqual(it.opened, []);
      assert.match(it.stdout.text, /ssh -L (\d+):127\.0\.0\.1:\1 HOST/);
    });

    it('says so where there is no browser', async () => {
      const it = { ...world(), openBrowser: () => Promise.resolve(false) };
      assert.equal(await login(it), 0);
      assert.match(it.stdout.text, /Open the address above in a browser/);
    });

    it('ends with 1 when the user declines, and keeps nothing', async () => {
      auth.consent = 'deny';
      const it = world();
      assert.equal(await login(it), 1);
      assert.match(it.stderr.text, /declined/);
      assert.equal(existsSync(file()), false);
    });

    it('ends with 130 on Ctrl+C', async () => {
      const it = world();
      const code = helios(it, 'auth', 'login');
      await until('it waits', () => it.stdout.text.includes('Waiting'));
      it.interrupts.fire();
      assert.equal(await code, 130);
      assert.match(it.stderr.text, /cancelled/);
    });
  });

  it('lets the models of the plan answer, renewing the tokens in the file', async () => {
    auth.lives(60);
    await login();
    auth.lives(3600);
    const before = stored();
    const it = world();
    assert.equal(await helios(it, '-P', 'chatgpt', '-p', 'how?'), 0);
    assert.match(it.stdout.text, /By hand\./);
    assert.notEqual(stored().refreshToken, before.refreshToken);
    assert.equal(statSync(file()).mode & 0o777, 0o600);
  });

  it('is taken where no key is set', async () => {
    await login();
    const it = world();
    assert.equal(await helios(it, '-p', 'how?'), 0);
    assert.equal(server.requests.length, 1);
  });

  it('is asked for where the provider is named and nobody is signed in', async () => {
    const it = world();
    assert.equal(await helios(it, '-P', 'chatgpt', '-p', 'how?'), 1);
    assert.match(
      it.stderr.text,
      /You are not signed in to ChatGPT\.\nSign in with: helios auth login/,
    );
  });

  it('keeps a damaged file aside, and says so', async () => {
    await login();
    writeFileSync(file(), '{"accessToken": "half', { mode: 0o600 });
    const it = world();
    assert.notEqual(await helios(it, '-P', 'chatgpt', '-p', 'how?'), 0);
    assert.match(
      `${it.stdout.text}${it.stderr.text}`,
      /damaged.*chatgpt-damaged.*helios auth login/s,
    );
    assert.equal(readFileSync(file('chatgpt-damaged'), 'utf8').trim(), '{"accessToken": "half');
    assert.equal(existsSync(file()), false);
  });

  describe('logout', () => {
    it('forgets the tokens, once', async () => {
      await login();
      const it = world();
      assert.equal(await helios(it, 'auth', 'logout'), 0);
      assert.equal(it.stdout.text, 'Signed out of ChatGPT (ada@lab.org (plus)).\n');
      assert.equal(existsSync(file()), false);
      const again = world();
      assert.equal(await helios(again, 'auth', 'logout'), 0);
      assert.equal(again.stdout.text, 'You are not signed in to ChatGPT.\n');
    });
  });

  describe('status', () => {
    it('says where each key comes from, and never what it is', async () => {
      await login();
      const env = { ANTHROPIC_API_KEY: 'sk-ant-secret' };
      writeFileSync(file('openai'), 'sk-oa-secret', { mode: 0o644 });
      const it = world({ env });
      it.stdout.columns = 200;
      assert.equal(await helios(it, 'auth', 'status'), 0);
      assert.match(it.stdout.text, /^claude +environment +ANTHROPIC_API_KEY$/m);
      assert.match(it.stdout.text, /^openai +file .*can be read by other users.*chmod 600/m);
      assert.match(
        it.stdout.text,
        /^chatgpt +file +\/.*home\/auth\/chatgpt +ada@lab\.org \(plus\)$/m,
      );
      const json = world({ env });
      await helios(json, 'auth', 'status', '--json');
      const rows = JSON.parse(json.stdout.text) as {
        provider: string;
        source: string;
        from?: string;
      }[];
      assert.deepEqual(
        rows.find(({ provider }) => provider === 'chatgpt'),
        {
          provider: 'chatgpt',
          source: 'file',
          from: file(),
          account: 'ada@lab.org (plus)',
        },
      );
      const said = `${it.stdout.text}${json.stdout.text}`;
      for (const secret of ['sk-ant', 'sk-oa', stored().accessToken, stored().refreshToken])
        assert.ok(!said.includes(secret), secret);
    });

    it('says what to do where there is nothing', async () => {
      const it = world();
      it.stdout.columns = 200;
      await helios(it, 'auth', 'status');
      assert.match(
        it.stdout.text,
        /^claude +none +helios auth login claude, or set ANTHROPIC_API_KEY$/m,
      );
      assert.match(it.stdout.text, /^chatgpt +none +helios auth login$/m);
    });
  });

  describe('keys', () => {
    const typed = async (key: string, it: FakeDeps, ...argv: string[]): Promise<number> => {
      const code = helios(it, 'auth', ...argv);
      if (it.stdin.isTTY === true)
        await until('it asks', () => /is not shown/.test(it.stdout.text));
      it.stdin.write(`${key}\n`);
      if (it.stdin.isTTY !== true) it.stdin.end();
      return code;
    };

    it('are typed without being shown, and kept for their owner alone', async () => {
      const it = world({ isTerminal: true });
      assert.equal(await typed('sk-ant-typed', it, 'login', 'claude'), 0);
      assert.match(
        it.stdout.text,
        /^Key of Anthropic \(is not shown\): \nStored\. Use it with: helios -P claude/,
      );
      assert.equal(readFileSync(file('anthropic'), 'utf8'), 'sk-ant-typed\n');
      assert.equal(statSync(file('anthropic')).mode & 0o777, 0o600);
      const status = world();
      await helios(status, 'auth', 'status');
      assert.match(status.stdout.text, /^claude +file +.*auth\/anthropic/m);
      assert.ok(!`${it.stdout.text}${status.stdout.text}`.includes('sk-ant-typed'));
    });

    it('are read from a pipe, and a variable in use instead is named', async () => {
      const it = world({ env: { OPENAI_API_KEY: 'other' } });
      assert.equal(await typed('sk-piped', it, 'login', 'openai'), 0);
      assert.match(it.stdout.text, /Stored\. OPENAI_API_KEY is set in the environment and is used/);
    });

    it('of endpoints are stored, too', async () => {
      mkdirSync(path.join(folder(), 'home'), { recursive: true });
      const endpoints = [{ id: 'lab', baseUrl: 'http://127.0.0.1:9/v1' }];
      writeFileSync(path.join(folder(), 'home/preferences.json'), JSON.stringify({ endpoints }));
      const it = world();
      assert.equal(await typed('k', it, 'login', 'lab'), 0, it.stderr.text);
      assert.match(it.stdout.text, /helios -P lab/);
    });

    it('are refused if empty or of several words, and nothing is stored', async () => {
      for (const key of ['', 'two words']) {
        const it = world();
        assert.equal(await typed(key, it, 'login', 'gemini'), 1);
        assert.match(it.stderr.text, /Nothing was stored/);
        assert.ok(!existsSync(file('gemini')));
      }
    });

    it('are deleted by logout', async () => {
      await typed('k', world(), 'login', 'gemini');
      const it = world({ env: { GOOGLE_API_KEY: 'x' } });
      assert.equal(await helios(it, 'auth', 'logout', 'gemini'), 0);
      assert.equal(
        it.stdout.text,
        'Deleted the key of Google Gemini. GOOGLE_API_KEY is set in the environment.\n',
      );
      assert.ok(!existsSync(file('gemini')));
      const again = world();
      await helios(again, 'auth', 'logout', 'gemini');
      assert.match(again.stdout.text, /^No key of Google Gemini is stored\.\n/);
    });
  });

  it('explains itself', async () => {
    for (const argv of [['auth'], ['auth', '--help'], ['auth', 'login', '-h']]) {
      const it = world();
      assert.equal(await helios(it, ...argv), 0);
      assert.match(it.stdout.text, /^Usage: helios auth .*SSH, forward the port first/s);
    }
  });

  const refusals: readonly [argv: string[], words: RegExp][] = [
    [['auth', 'signin'], /Unknown command 'signin'\. Did you mean login\?\nSee helios auth --help/],
    [
      ['auth', 'login', 'claud'],
      /claud has no key in Helios\.\nName one of: chatgpt, claude, openai, gemini/,
    ],
    [['auth', 'logout', 'demo'], /demo has no key in Helios/],
    [
      ['auth', 'login', 'chatgpt', 'now'],
      /Too many arguments for 'login'.*: chatgpt, now\.\nSee helios auth login --help/,
    ],
    [['auth', 'status', 'chatgpt'], /Too many arguments for 'status'/],
    [['auth', 'logout', '--json'], /Unknown option '--json'/],
    [
      ['auth', 'status', '--jsn'],
      /Unknown option '--jsn'\. Did you mean --json\?\nSee helios auth status --help\./,
    ],
    [
      ['auth', 'status', '--home', ''],
      /Option '--home <folder>' argument '' is invalid\. Must not be empty/,
    ],
  ];
  for (const [argv, words] of refusals)
    it(`refuses: helios ${argv.join(' ')}`, async () => {
      const it = world();
      assert.equal(await helios(it, ...argv), 1);
      assert.match(it.stderr.text, words);
    });
});
