/**
 * What AWS wants and tells beyond the Messages API: credentials, regions, exceptions, names of
 * models.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createBedrockProvider } from '../../../src/models/bedrock/bedrock.ts';
import { bedrockError } from '../../../src/models/bedrock/bedrockFailures.ts';
import { CallFailed } from '../../../src/models/guarded.ts';
import { noUsage, type ModelFailureReason, type ModelProvider } from '../../../src/models/model.ts';
import { costOf } from '../../../src/models/prices.ts';
import { freePort } from '../../fakes/freePort.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import type { JsonObject, WireError, WireServer } from '../../fakes/wire.ts';
import { bedrockModelOf, startWireBedrock } from '../../fakes/wireBedrock.ts';
import { hear, request, type Heard } from './conversing.ts';

const model = 'global.anthropic.claude-opus-4-6-v1';
const keys = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI' };

const coded = (code: string): Error => Object.assign(new Error(code), { code });

describe('bedrock', () => {
  let server: WireServer;
  let provider: ModelProvider;
  let homeFolder: string;
  const clock = new ManualClock();

  beforeEach(async () => {
    server = await startWireBedrock(() => ({ text: 'Done.' }));
    homeFolder = await mkdtemp(path.join(tmpdir(), 'helios-aws-'));
    provider = create({});
  });
  afterEach(async () => {
    await server.close();
    await rm(homeFolder, { recursive: true });
  });

  const placesOf = (env: Readonly<Record<string, string>>) => ({
    env,
    homeFolder,
    vendorFile: path.join(homeFolder, 'sys_vendor'),
  });
  const create = (env: Readonly<Record<string, string>>, more: object = {}): ModelProvider =>
    createBedrockProvider({
      apiKey: () => Promise.resolve(undefined),
      baseUrl: server.url,
      clock,
      random: () => 0.5,
      places: placesOf(env),
      ...more,
    });
  const ask = (changes = {}): Promise<Heard> =>
    hear((...args) => provider.stream(...args), request({ model, ...changes }), { clock });
  const withKey = { apiKey: () => Promise.resolve('bedrock-api-key-123') };

  describe('signs', () => {
    const authorizations = async (): Promise<string> => {
      const { reply } = await ask();
      assert.equal(reply.failure, undefined, reply.failure?.message);
      return server.requests.at(-1)?.headers.authorization ?? '';
    };

    it('with the keys of the environment, for the region that is told', async () => {
      provider = create(
        { ...keys, AWS_SESSION_TOKEN: 'session', AWS_REGION: 'us-west-2' },
        { region: 'eu-central-1' },
      );
      assert.match(
        await authorizations(),
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d+\/eu-central-1\/bedrock\//,
      );
      assert.equal(server.requests[0]?.headers['x-amz-security-token'], 'session');
    });
    it('for the region of the environment, and else for us-east-1', async () => {
      provider = create({ ...keys, AWS_REGION: 'ap-northeast-1' });
      assert.match(await authorizations(), /\/ap-northeast-1\/bedrock\//);
      provider = create(keys);
      assert.match(await authorizations(), /\/us-east-1\/bedrock\//);
    });
    it('not at all with a key of Bedrock’s own, which goes before all others', async () => {
      provider = create(keys, withKey);
      assert.equal(await authorizations(), 'Bearer bedrock-api-key-123');
    });
    it('with a profile of the files, by the chain of AWS', async () => {
      const file = path.join(homeFolder, 'credentials');
      await writeFile(
        file,
        '[research]\naws_access_key_id = AKIDPROFILE\naws_secret_access_key = abc\n',
      );
      const env = {
        AWS_PROFILE: 'research',
        AWS_SHARED_CREDENTIALS_FILE: file,
        AWS_CONFIG_FILE: '/dev/null',
      };
      await withProcessEnv(env, async () => {
        provider = create(env);
        assert.match(await authorizations(), /Credential=AKIDPROFILE\//);
      });
    });
  });

  describe('is ready', () => {
    const found: readonly [
      what: string,
      env: Record<string, string>,
      files: Record<string, string>,
      ready: boolean,
    ][] = [
      ['with keys', keys, {}, true],
      ['with half of the keys: not', { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE' }, {}, false],
      ['with a profile', { AWS_PROFILE: 'research' }, {}, true],
      ['with a file of credentials', {}, { '.aws/credentials': '' }, true],
      ['with a file of a sign-in', {}, { '.aws/config': '' }, true],
      ['in a container of AWS', { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/x' }, {}, true],
      ['on a machine of AWS', {}, { sys_vendor: 'Amazon EC2\n' }, true],
      [
        'there, unless it may not ask',
        { AWS_EC2_METADATA_DISABLED: 'true' },
        { sys_vendor: 'Amazon EC2\n' },
        false,
      ],
      ['on a machine of another', {}, { sys_vendor: 'Dell Inc.\n' }, false],
      ['with nothing: not', {}, {}, false],
    ];
    for (const [what, env, files, ready] of found)
      it(what, async () => {
        for (const [name, content] of Object.entries(files)) {
          await mkdir(path.dirname(path.join(homeFolder, name)), { recursive: true });
          await writeFile(path.join(homeFolder, name), content);
        }
        const readiness = await create(env).readiness?.();
        assert.equal(readiness?.isReady, ready);
        if (readiness?.isReady === false)
          assert.match(readiness.action, /aws sso login.*AWS_BEARER_TOKEN_BEDROCK/s);
      });
    it('with a key', async () => {
      assert.deepEqual(await create({}, withKey).readiness?.(), { isReady: true });
    });
  });

  it('fails as auth without a request when there is nothing to sign with', async () => {
    const { reply } = await ask();
    assert.deepEqual([reply.failure?.reason, server.requests.length], ['auth', 0]);
    assert.match(reply.failure?.message ?? '', /aws configure/);
  });

  it('sends no key to a region that is none', async () => {
    provider = create({}, { ...withKey, baseUrl: undefined, region: 'evil.example/?' });
    const { reply } = await ask();
    assert.deepEqual(
      [reply.failure?.reason, (await provider.readiness?.())?.isReady],
      ['invalid', false],
    );
    assert.match(reply.failure?.message ?? '', /Example: eu-central-1/);
  });

  it('asks a service of metadata that never answers no more than three times, and fails as auth', async () => {
    let questions = 0;
    const silent = createServer(() => (questions += 1)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const env = {
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      AWS_EC2_METADATA_SERVICE_ENDPOINT: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    };
    await writeFile(path.join(homeFolder, 'sys_vendor'), 'Amazon EC2\n');
    await withProcessEnv(env, async () => {
      provider = create(env);
      const { reply } = await ask();
      assert.equal(reply.failure?.reason, 'auth', reply.failure?.message);
      assert.match(reply.failure.message, /AWS credentials could not be loaded/);
      assert.ok(questions > 0 && questions <= 3, `${questions} questions`);
    });
    silent.closeAllConnections();
    silent.close();
  });

  it('waits for a service of credentials that is not reached: that may pass', async () => {
    const env = {
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      AWS_WEB_IDENTITY_TOKEN_FILE: path.join(homeFolder, 'token'),
      AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/research',
      AWS_REGION: 'us-west-2',
      AWS_ENDPOINT_URL_STS: `http://127.0.0.1:${await freePort()}`,
    };
    await writeFile(env.AWS_WEB_IDENTITY_TOKEN_FILE, 'token');
    await withProcessEnv(env, async () => {
      provider = create(env);
      const { events, reply } = await ask();
      assert.equal(reply.failure?.reason, 'network', reply.failure?.message);
      assert.ok(events.some(({ type }) => type === 'attempt.discarded'));
    });
  });

  const causes: readonly (readonly [cause: Error, mayPass: boolean])[] = [
    [coded('ECONNREFUSED'), true],
    [new TypeError('fetch failed', { cause: coded('ENOTFOUND') }), true],
    [new TypeError('fetch failed', { cause: coded('UND_ERR_CONNECT_TIMEOUT') }), true],
    [coded('EAI_AGAIN'), true],
    [coded('ERR_INVALID_URL'), false],
    [coded('ExpiredToken'), false],
    [new Error('no profile'), false],
  ];
  for (const [cause, mayPass] of causes)
    it(`takes credentials that did not come for ${mayPass ? 'lateness' : 'a fault of theirs'}: ${String(cause.cause ?? cause)}`, () => {
      const error = new Error('Failed to resolve AWS credentials from the chain.', { cause });
      const found = bedrockError(error, 'Sign in.');
      if (mayPass) assert.equal(found, error);
      else assert.ok(found instanceof CallFailed && found.failure.reason === 'auth', String(found));
    });

  describe('asks', () => {
    it('for the model in the path, by the version that all models know', async () => {
      provider = create({}, withKey);
      const arn = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123';
      await ask({ model: arn });
      const [sent] = server.requests;
      assert.equal(bedrockModelOf(sent?.path ?? ''), arn);
      assert.equal(sent?.body.anthropic_version, 'bedrock-2023-05-31');
    });
    it('for no more output than the model has, nor for what older models do not know', async () => {
      provider = create({}, withKey);
      await ask({ model: 'us.anthropic.claude-haiku-4-5-20251001-v1:0', maxOutputTokens: 100_000 });
      await ask({ effort: 'high' });
      await ask({ model: 'global.anthropic.claude-opus-5-5', effort: 'high' });
      assert.deepEqual(
        server.requests.map(({ body: { max_tokens, thinking } }) => [max_tokens, thinking]),
        [
          [64_000, undefined],
          [32_000, { type: 'adaptive' }],
          [32_000, { type: 'adaptive', display: 'summarized' }],
        ],
      );
    });
  });

  describe('fails', () => {
    const onDemand =
      'Invocation of model ID anthropic.claude-opus-4-6-v1 with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.';
    const errors: readonly [WireError, ModelFailureReason, RegExp][] = [
      [
        { status: 403, message: 'The security token included in the request is expired' },
        'auth',
        /aws sso login/,
      ],
      [
        { status: 403, message: 'The security token included in the request is invalid.' },
        'auth',
        /aws configure/,
      ],
      [
        { status: 403, message: 'You don’t have access to the model with the specified model ID.' },
        'auth',
        /access to/,
      ],
      [{ status: 400, message: 'Input is too long for requested model.' }, 'overflow', /too long/],
      [
        { status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' },
        'overflow',
        /too long/,
      ],
      [
        { status: 400, message: 'The provided model identifier is invalid.' },
        'invalid',
        /global\.anthropic\.claude/,
      ],
      [{ status: 400, message: onDemand }, 'invalid', /list-inference-profiles/],
    ];
    for (const [error, reason, words] of errors)
      it(`${error.status} ${error.message}: ${reason}`, async () => {
        provider = create({}, withKey);
        server.reply(() => error);
        const { reply } = await ask();
        assert.equal(reply.failure?.reason, reason, reply.failure?.message);
        assert.match(reply.failure.message, words);
        assert.equal(server.requests.length, 1);
      });

    const exceptions: readonly [
      exception: string,
      reason: ModelFailureReason,
      isRetried: boolean,
    ][] = [
      ['throttlingException', 'rate_limit', true],
      ['modelStreamErrorException', 'server', true],
      ['modelTimeoutException', 'server', true],
      ['internalServerException', 'server', true],
      ['serviceUnavailableException', 'server', true],
      ['validationException', 'invalid', false],
      ['accessDeniedException', 'auth', false],
    ];
    for (const [exception, reason, isRetried] of exceptions)
      it(`${exception} in the stream: ${reason}`, async () => {
        provider = create({}, withKey);
        const start = {
          type: 'message_start',
          message: { model: 'claude-opus-4-6', usage: { input_tokens: 9 } },
        };
        const raw = [start, { exception, message: 'It went wrong.' }] as JsonObject[];
        server.reply(({ index }) => (index === 0 ? { raw } : { text: 'Done.' }));
        const { events, reply } = await ask();
        const failures = events.flatMap((event) =>
          event.type === 'attempt.discarded' ? [event.failure] : [],
        );
        assert.equal((isRetried ? failures[0] : reply.failure)?.reason, reason);
        assert.equal(server.requests.length, isRetried ? 2 : 1);
      });

    it('429 ModelNotReady and throttling: rate_limit, made anew', async () => {
      provider = create({}, withKey);
      server.reply(({ index }) =>
        index === 0 ? { status: 429, message: 'Model is not ready.' } : { text: 'Done.' },
      );
      const { events } = await ask();
      assert.ok(
        events.some(
          (event) => event.type === 'attempt.discarded' && event.failure.reason === 'rate_limit',
        ),
      );
    });
  });

  it('costs what Claude costs, and a tenth more in a region', () => {
    const usd = (id: string): number => {
      const cost = costOf('bedrock', id, { ...noUsage, inputTokens: 1_000_000 });
      return 'usd' in cost ? Number(cost.usd.toFixed(4)) : NaN;
    };
    for (const { id } of provider.models()) assert.ok(usd(id) > 0, id);
    assert.equal(usd('global.anthropic.claude-opus-4-6-v1'), 5);
    assert.equal(usd('us.anthropic.claude-opus-4-6-v1'), 5.5);
    assert.equal(usd('eu.anthropic.claude-haiku-4-5-20251001-v1:0'), 1.1);
    assert.equal(usd('global.anthropic.claude-sonnet-5-5'), 2);
    assert.ok(Number.isNaN(usd('us.amazon.nova-pro-v1:0')));
  });

  it('lists the profiles for Claude, and which of them are on their way out', async () => {
    const asked: string[] = [];
    const aws = createServer((incoming, response) => {
      asked.push(`${incoming.url} ${incoming.headers.authorization?.slice(0, 16)}`);
      const profile = (inferenceProfileId: string, inferenceProfileName: string) => ({
        inferenceProfileId,
        inferenceProfileName,
        status: 'ACTIVE',
      });
      const url = new URL(incoming.url ?? '', 'http://127.0.0.1');
      const pages: Record<string, unknown> = {
        '/foundation-models': {
          modelSummaries: [
            { modelId: 'anthropic.claude-opus-4-6-v1', modelLifecycle: { status: 'ACTIVE' } },
            {
              modelId: 'anthropic.claude-haiku-4-5-20251001-v1:0',
              modelLifecycle: { status: 'LEGACY' },
            },
          ],
        },
        '/inference-profiles': {
          inferenceProfileSummaries: [
            profile(model, 'Global Claude Opus 4.6'),
            profile('us.amazon.nova-pro-v1:0', 'Nova'),
          ],
          nextToken: 'more',
        },
        '/inference-profiles more': {
          inferenceProfileSummaries: [
            profile('us.anthropic.claude-haiku-4-5-20251001-v1:0', 'US Claude Haiku 4.5'),
          ],
        },
      };
      const token = url.searchParams.get('nextToken');
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(pages[`${url.pathname}${token === null ? '' : ` ${token}`}`]));
    }).listen(0, '127.0.0.1');
    await once(aws, 'listening');
    provider = create(keys, { baseUrl: `http://127.0.0.1:${(aws.address() as AddressInfo).port}` });
    const models = (await provider.list?.(new AbortController().signal)) ?? [];
    aws.close();
    assert.deepEqual(
      models.map(({ id, label, contextTokens, isRetiring }) => [
        id,
        label,
        contextTokens,
        isRetiring,
      ]),
      [
        [model, 'Global Claude Opus 4.6', 1_000_000, undefined],
        ['us.anthropic.claude-haiku-4-5-20251001-v1:0', 'US Claude Haiku 4.5', 200_000, true],
      ],
    );
    assert.ok(
      asked.every((line) => line.endsWith(' AWS4-HMAC-SHA256')),
      asked.join('\n'),
    );
    provider = create({});
    await assert.rejects(async () => provider.list?.(new AbortController().signal), {
      reason: 'call_failed',
    });
  });
});

/** AWS's chain reads the environment of the process. */
async function withProcessEnv(
  env: Readonly<Record<string, string>>,
  act: () => Promise<void>,
): Promise<void> {
  const names = [...Object.keys(env), ...Object.keys(keys)];
  const before = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) delete process.env[name];
  Object.assign(process.env, env);
  try {
    await act();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
