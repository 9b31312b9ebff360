import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { UserFacing } from '../../../src/base/errors.ts';
import { runCli } from '../../../src/cli/cli.ts';
import { preferencesFor, readPreferences } from '../../../src/cli/preferences.ts';
import { fakeDeps } from '../../fakes/cliDeps.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import type { WireServer } from '../../fakes/wire.ts';
import { startWireOpenaiChat } from '../../fakes/wireOpenaiChat.ts';

describe('preferences', () => {
  let home: string;
  let warnings: string[];
  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'helios-preferences-'));
    warnings = [];
  });
  afterEach(() => rm(home, { recursive: true }));

  const file = () => path.join(home, 'preferences.json');
  const read = async (written?: unknown) => {
    if (written !== undefined)
      await writeFile(file(), typeof written === 'string' ? written : JSON.stringify(written));
    return readPreferences(home, (message) => warnings.push(message));
  };

  const lab = {
    id: 'lab-vllm',
    baseUrl: 'http://gpu1:8000/v1',
    contextTokens: 24_576,
    toolCalls: 'text',
  };
  const full = {
    ...{
      provider: 'lab-vllm',
      model: 'qwen3',
      effort: 'high',
      endpoints: [lab],
      claudePath: '/opt/claude',
    },
    ...{ consult: { provider: 'openai', model: 'gpt-5.4' }, dayLimits: { usd: 20, tokens: 5e6 } },
    ...{
      web: { searxngUrl: 'http://127.0.0.1:8888', allowsPrivateAddresses: true },
      proxy: 'http://proxy:3128',
    },
    ...{
      caFile: '/etc/ssl/lab.pem',
      runMinutes: 30,
      prices: { 'lab-vllm/*': { input: 0, output: 0 } },
    },
  };

  it('are none where there is no file', async () => {
    assert.deepEqual(await read(), {});
  });

  it('are what the file says', async () => {
    assert.deepEqual(await read(full), full);
    assert.deepEqual(warnings, []);
  });

  it('have files beside them by their short names', async () => {
    assert.equal((await read({ caFile: 'lab.pem' })).caFile, path.join(home, 'lab.pem'));
  });

  it('tell what they do not know, and go on', async () => {
    assert.deepEqual(await read({ modle: 'qwen3', effort: 'low' }), { effort: 'low' });
    assert.equal(warnings.length, 1);
    assert.match(
      warnings[0] ?? '',
      /preferences\.json: modle is unknown\. Known: provider, model, effort/,
    );
  });

  const wrong: readonly (readonly [says: string, written: unknown, place: RegExp])[] = [
    ['no JSON', '{ "model": ', /cannot be read: .*JSON/],
    ['no object', '[]', /expected object/],
    ['minutes that are none', { runMinutes: 0 }, /expected number to be >0.*at runMinutes/s],
    ['an effort that there is not', { effort: 'huge' }, /at effort/],
    ['a limit that is none', { dayLimits: { usd: -1 } }, /at dayLimits\.usd/],
    ['a limit that is not kept for a day', { dayLimits: { minutes: 5 } }, /minutes/],
    ['an address that is none', { web: { searxngUrl: 'here' } }, /at web\.searxngUrl/],
    [
      'an endpoint without an address',
      { endpoints: [{ id: 'lab' }] },
      /endpoints in .*Endpoint 1.*baseUrl/s,
    ],
    [
      'a price without a provider',
      { prices: { qwen: { input: 1, output: 1 } } },
      /model prices setting.*at qwen/s,
    ],
  ];
  for (const [says, written, place] of wrong)
    it(`are refused with ${says}, and the file is named`, async () => {
      await assert.rejects(read(written), (error: unknown) => {
        assert.ok(error instanceof UserFacing);
        assert.ok(error.message.includes(file()), error.message);
        assert.match(error.message, place);
        assert.notEqual(error.action, undefined);
        return true;
      });
    });

  it('have a model for their own provider only', () => {
    const preferences = { provider: 'lab-vllm', model: 'qwen3', effort: 'low' } as const;
    assert.equal(preferencesFor(preferences, undefined).model, 'qwen3');
    assert.equal(preferencesFor(preferences, 'lab-vllm').model, 'qwen3');
    assert.deepEqual(preferencesFor(preferences, 'claude'), {
      provider: 'lab-vllm',
      effort: 'low',
    });
  });
});

describe('the terminal with preferences', () => {
  const folder = scratchFolder();
  let server: WireServer | undefined;
  afterEach(() => server?.close());

  async function helios(
    written: (url: string) => object,
    argv: readonly string[],
    env: Record<string, string> = {},
  ) {
    server = await startWireOpenaiChat(() => ({ text: 'Forty-two.' }));
    await mkdir(path.join(folder(), 'home'), { recursive: true });
    await writeFile(
      path.join(folder(), 'home', 'preferences.json'),
      JSON.stringify(written(server.url)),
    );
    const deps = fakeDeps({ folder: folder(), env });
    const code = await runCli(['--home', 'home', '--print', 'what is it?', ...argv], deps);
    return { code, out: deps.stdout.text, error: deps.stderr.text, sent: server.requests[0] };
  }
  const lab = (baseUrl: string) => ({
    endpoints: [{ id: 'lab-vllm', baseUrl, defaultModel: 'qwen3' }],
  });

  it('asks the endpoint that they prefer, with its key', async () => {
    const preferred = (url: string) => ({ ...lab(url), provider: 'lab-vllm' });
    const { code, out, sent, error } = await helios(preferred, [], {
      HELIOS_KEY_LAB_VLLM: 'sk-lab-0123456789',
    });
    assert.equal(code, 0, error);
    assert.match(out, /Forty-two/);
    assert.equal(sent?.headers.authorization, 'Bearer sk-lab-0123456789');
    assert.equal(sent.body.model, 'qwen3');
  });

  it('asks the endpoint that the model names', async () => {
    const { sent, error } = await helios(lab, ['-m', 'lab-vllm/llama3']);
    assert.equal(sent?.body.model, 'llama3', error);
  });

  it('asks another one where an option says so', async () => {
    const preferred = (url: string) => ({ ...lab(url), provider: 'lab-vllm' });
    const { code, sent } = await helios(preferred, ['-P', 'demo']);
    assert.deepEqual([code, sent], [0, undefined]);
  });

  it('says which providers there are where theirs is none', async () => {
    const { code, error } = await helios((url) => ({ ...lab(url), provider: 'lab' }), []);
    assert.equal(code, 1);
    assert.match(error, /no model provider lab\.\nChoose one of: claude.*lab-vllm/);
  });
});
