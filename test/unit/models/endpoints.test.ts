import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { silentLogger } from '../../../src/base/logger.ts';
import { createProviders, type ProviderSettings } from '../../../src/models/createProviders.ts';
import { checkEndpoints, endpointVariable } from '../../../src/models/endpoints.ts';
import { providerIds } from '../../../src/models/providerList.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import type { WireServer } from '../../fakes/wire.ts';
import { startWireOpenaiChat } from '../../fakes/wireOpenaiChat.ts';
import { hear, request, textOf } from './conversing.ts';

const lab = { id: 'lab-vllm', baseUrl: 'http://gpu1:8000/v1' };

describe('settings of endpoints', () => {
  it('are taken as they are when they are right', () => {
    const full = {
      ...{
        ...lab,
        label: 'Lab',
        defaultModel: 'Qwen/Qwen3-32B',
        contextTokens: 24_576,
        maxOutputTokens: 4096,
      },
      ...{
        toolCalls: 'text',
        acceptsImages: false,
        sendsEffort: true,
        temperature: 0,
        headers: { 'x-team': 'vision' },
      },
    };
    assert.deepEqual(checkEndpoints([full, { ...lab, id: 'b' }]), {
      endpoints: [full, { ...lab, id: 'b' }],
      problems: [],
    });
    assert.deepEqual(checkEndpoints(undefined), { endpoints: [], problems: [] });
  });

  const wrong: readonly (readonly [says: string, setting: unknown, problem: RegExp])[] = [
    ['no list', { lab }, /must be a list.*lab-vllm/s],
    ['no object', ['lab'], /Endpoint 1 is ignored/],
    ['no address', [{ id: 'lab' }], /baseUrl/],
    ['an address that is none', [{ ...lab, baseUrl: 'gpu1' }], /not a valid URL; example/],
    ['another protocol', [{ ...lab, baseUrl: 'ftp://gpu1/v1' }], /begin with http/],
    [
      'a password in the address',
      [{ ...lab, baseUrl: 'https://ada:pw@gpu1/v1' }],
      /set the key instead/,
    ],
    [
      'a key in the address',
      [{ ...lab, baseUrl: 'https://gpu1/v1?key=x' }],
      /must not contain \? or #/,
    ],
    [
      'an id with other characters',
      [{ ...lab, id: 'Lab vLLM' }],
      /lowercase letters, digits and hyphens/,
    ],
    ['an id twice', [lab, { ...lab }], /Endpoint 2.*the id lab-vllm is already used/],
    ['a word too many', [{ ...lab, apiKey: 'sk-1' }], /apiKey/],
    ['a size that is none', [{ ...lab, contextTokens: 0 }], /contextTokens/],
    ['a temperature below 0', [{ ...lab, temperature: -0.1 }], /at least 0\s.*temperature/],
    ['a temperature above 2', [{ ...lab, temperature: 2.1 }], /at most 2\s.*temperature/],
    [
      'a temperature that is no number',
      [{ ...lab, temperature: 'hot' }],
      /must be a number from 0 to 2, such as 0\.6/,
    ],
    ['tool calls of no kind', [{ ...lab, toolCalls: 'json' }], /toolCalls/],
    [
      'a key in a header',
      [{ ...lab, headers: { Authorization: 'Bearer x' } }],
      /a key is not allowed here/,
    ],
    [
      'another key in a header',
      [{ ...lab, headers: { 'X-API-Key': 'x' } }],
      /a key is not allowed here/,
    ],
    ['a header of two lines', [{ ...lab, headers: { 'x-a': 'b\r\nx-c: d' } }], /printable ASCII/],
    ['a name of no header', [{ ...lab, headers: { 'x a': 'b' } }], /not a valid header name/],
    ...providerIds.map(
      (id) => [`the id ${id}`, [{ ...lab, id }], /already used by a built-in provider/] as const,
    ),
  ];
  for (const [says, setting, problem] of wrong)
    it(`are refused with ${says}`, () => {
      const { endpoints, problems } = checkEndpoints(setting);
      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? '', problem);
      assert.equal(endpoints.length, says === 'an id twice' ? 1 : 0);
    });

  it('that are wrong keep no others from being used', () => {
    const { endpoints, problems } = checkEndpoints([{ id: 'x' }, lab]);
    assert.deepEqual([endpoints, problems.length], [[lab], 1]);
  });

  it('name the variable of their key', () => {
    assert.equal(endpointVariable('lab-vllm'), 'HELIOS_KEY_LAB_VLLM');
  });
});

describe('an endpoint', () => {
  let server: WireServer | undefined;
  afterEach(() => server?.close());

  it('is a provider of its own, with its own key, headers and model, and stays the same while its setting does', async () => {
    server = await startWireOpenaiChat(() => ({ text: 'Hello.' }));
    const own = {
      ...lab,
      baseUrl: `${server.url}/`,
      defaultModel: 'qwen3',
      temperature: 0.6,
      headers: { 'x-team': 'vision' },
    };
    let settings: ProviderSettings = { provider: 'claude', endpoints: [own, { id: 'broken' }] };
    const warnings: string[] = [];
    const clock = new ManualClock();
    const providers = createProviders({
      settings: () => settings,
      secret: (name) => Promise.resolve(`sk-for-${name}`),
      fetch: globalThis.fetch,
      clock,
      logger: { ...silentLogger, warn: (line) => warnings.push(line) },
    });
    const provider = providers().get('lab-vllm');
    assert.ok(provider);
    assert.deepEqual([provider.label, provider.defaultModel], ['lab-vllm', 'qwen3']);
    const { reply } = await hear(
      (...args) => provider.stream(...args),
      request({ model: 'qwen3' }),
      { clock },
    );
    assert.equal(textOf(reply), 'Hello.');
    const [sent] = server.requests;
    assert.equal(sent?.headers.authorization, 'Bearer sk-for-endpoint-lab-vllm');
    assert.equal(sent.headers['x-team'], 'vision');
    assert.equal(sent.body.temperature, 0.6);
    settings = { ...settings, endpoints: [{ ...own }, { id: 'broken' }] };
    assert.equal(providers().get('lab-vllm'), provider);
    assert.equal(providers().has('broken'), false);
    assert.equal(warnings.length, 1, 'what is wrong is told once');
    settings = { ...settings, endpoints: [{ ...own, label: 'Lab' }] };
    assert.equal(providers().get('lab-vllm')?.label, 'Lab');
  });

  it('says how its key is set when it is refused', async () => {
    server = await startWireOpenaiChat(() => ({ status: 401, message: 'who are you' }));
    const settings = { provider: 'claude', endpoints: [{ ...lab, baseUrl: server.url }] };
    const deps = {
      settings: () => settings,
      fetch: globalThis.fetch,
      clock: new ManualClock(),
      logger: silentLogger,
    };
    const provider = createProviders({ ...deps, secret: () => Promise.resolve(undefined) })().get(
      'lab-vllm',
    );
    assert.ok(provider);
    const { reply } = await hear(
      (...args) => provider.stream(...args),
      request({ model: 'm' }),
      deps,
    );
    assert.equal(reply.failure?.reason, 'auth');
    assert.match(
      reply.failure.message,
      /lab-vllm at http:.*HELIOS_KEY_LAB_VLLM.*helios auth login lab-vllm.*Set API Key/,
    );
  });
});
