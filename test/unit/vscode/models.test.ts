import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ApiKeys, providerKeys } from '../../../src/vscode/models/apiKeys.ts';
import { lostKeyText } from '../../../src/vscode/models/keyText.ts';
import { choiceDetail, modelChoices, priceTable } from '../../../src/vscode/models/modelChoices.ts';
import { estimateTokens, modelRequest } from '../../../src/vscode/models/modelMessages.ts';
import { pickedInChat, pickedModel } from '../../../src/vscode/models/preconditions.ts';

const model = (id: string) => ({
  id,
  label: id.toUpperCase(),
  contextTokens: 200_000,
  maxOutputTokens: 4_000,
});
const provider = (id: string, ...ids: string[]) => ({
  id,
  label: id,
  defaultModel: ids[0] ?? '',
  models: () => ids.map(model),
});
const providers = [
  provider('claude', 'opus', 'haiku'),
  provider('openai', 'gpt'),
  provider('demo', 'scripted'),
];
const namesOf = (choices: readonly { provider: string; model: { id: string } }[]): string[] =>
  choices.map((choice) => `${choice.provider}/${choice.model.id}`);

describe('model choices', () => {
  it('begin with the configured one and end with the demo; providers without a key are left out', () => {
    const choices = modelChoices({
      providers,
      configured: { provider: 'openai' },
      ready: new Set(['openai', 'demo']),
    });
    assert.deepEqual(namesOf(choices), ['openai/gpt', 'demo/scripted']);
    assert.equal(choices[0]?.isConfigured, true);
  });

  it('keep the configured provider without a key, so that the demo is never taken unasked', () => {
    const choices = modelChoices({
      providers,
      configured: { provider: 'claude', model: 'haiku' },
      ready: new Set(['demo']),
    });
    assert.deepEqual(namesOf(choices), ['claude/haiku', 'claude/opus', 'demo/scripted']);
    assert.equal(choices[0]?.isReady, false);
  });

  it('offer a model of the settings that no list has', () => {
    const choices = modelChoices({
      providers,
      configured: { provider: 'openai', model: 'mine' },
      ready: new Set(['openai']),
    });
    assert.deepEqual(namesOf(choices), ['openai/mine', 'openai/gpt']);
  });

  it('say context and price, and that a price is not known', () => {
    const [choice] = modelChoices({
      providers,
      configured: { provider: 'openai' },
      ready: new Set(['openai']),
    });
    assert.ok(choice);
    assert.equal(choiceDetail(choice, priceTable({})), '200k context · price unknown');
    const priced = priceTable({ 'openai/gpt': { input: 1.25, output: 10 } });
    assert.equal(
      choiceDetail(choice, priced),
      '200k context · $1.25 in, $10.00 out per million tokens',
    );
  });

  it('go by the built-in prices where the setting is wrong', () => {
    assert.deepEqual(priceTable({ nonsense: 1 }), priceTable(undefined));
  });

  it('know a picked model of ours only', () => {
    assert.deepEqual(pickedModel('helios', 'compatible/org/name', 'helios'), {
      provider: 'compatible',
      model: 'org/name',
    });
    for (const [vendor, id] of [
      ['copilot', 'claude/opus'],
      ['helios', 'opus'],
      ['helios', '/opus'],
      ['helios', 'claude/'],
    ])
      assert.equal(pickedModel(vendor ?? '', id ?? '', 'helios'), undefined);
  });
});

describe('the model that is picked in the chat', () => {
  const said = (vendor: string, id: string, isSet: boolean) =>
    pickedInChat({ vendor, id, ourVendor: 'helios', hostProvider: 'vscode', isSet });

  it('is taken when it is one of ours, whatever the settings say', () => {
    for (const isSet of [true, false])
      assert.deepEqual(said('helios', 'claude/opus', isSet), { provider: 'claude', model: 'opus' });
    assert.equal(said('helios', 'configured', false), undefined);
  });

  it('is taken when it is of another vendor and the settings name none', () => {
    assert.deepEqual(said('copilot', 'gpt-x', false), {
      provider: 'vscode',
      model: 'copilot/gpt-x',
    });
    assert.equal(said('copilot', 'gpt-x', true), undefined);
  });
});

describe('chat messages of VS Code', () => {
  it('become a request: neighbours joined, tool results and images kept, the system apart', () => {
    const request = modelRequest(
      'm',
      [
        { role: 3, content: [{ value: 'be brief' }] },
        {
          role: 1,
          content: [{ value: 'look' }, { mimeType: 'image/png', data: new Uint8Array([1, 2]) }],
        },
        { role: 1, content: [{ value: 'again' }] },
        {
          role: 2,
          content: [{ value: 'ok' }, { callId: 'c', name: 'read', input: { path: 'a' } }],
        },
        { role: 1, content: [{ callId: 'c', content: [{ value: 'text' }] }] },
        { role: 2, content: [] },
      ],
      [{ name: 'read', description: 'reads' }],
    );
    assert.deepEqual(request.system, [{ text: 'be brief', isStable: true }]);
    assert.deepEqual(request.messages, [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'attachment', mediaType: 'image/png', name: 'image', base64: 'AQI=' },
          { type: 'text', text: 'again' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'ok' },
          { type: 'tool_call', id: 'c', name: 'read', input: { path: 'a' } },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', callId: 'c', text: 'text', isError: false }],
      },
    ]);
    assert.deepEqual(request.tools[0]?.inputSchema, { type: 'object', properties: {} });
  });

  it('are estimated by their characters', () => {
    assert.equal(estimateTokens('hello'), 2);
    assert.equal(estimateTokens('数字の検証'), 5);
    assert.equal(
      estimateTokens([{ value: 'abcdefgh' }, { callId: 'c', name: 'abcd', input: {} }]),
      4,
    );
    assert.equal(estimateTokens([]), 0);
  });
});

describe('keys', () => {
  const storage = (kept: Map<string, string>) => ({
    get: (key: string) => Promise.resolve(kept.get(key)),
    store: (key: string, value: string) => Promise.resolve(void kept.set(key, value)),
    delete: (key: string) => Promise.resolve(void kept.delete(key)),
    onDidChange: () => ({ dispose: () => undefined }),
  });
  const [anthropic] = providerKeys;

  it('come from the storage first, then from the environment', async () => {
    const keys = new ApiKeys(storage(new Map()), { ANTHROPIC_API_KEY: ' from-env ' });
    assert.equal(await keys.get('anthropic'), 'from-env');
    await keys.set('anthropic', ' stored ');
    assert.equal(await keys.get('anthropic'), 'stored');
    assert.equal(anthropic && (await keys.origin(anthropic)), 'storage');
    await keys.set('anthropic', '  ');
    assert.equal(await keys.get('anthropic'), 'from-env');
    assert.equal(await keys.get('nobody'), undefined);
    const google = new ApiKeys(storage(new Map()), {
      GEMINI_API_KEY: ' ',
      GOOGLE_API_KEY: 'other',
    });
    assert.equal(await google.get('gemini'), 'other');
  });

  it('come at last from a file of helios auth', async () => {
    const readFile = (name: string) => Promise.resolve(name === 'openai' ? 'filed' : undefined);
    const keys = new ApiKeys(storage(new Map()), { ANTHROPIC_API_KEY: 'from-env' }, { readFile });
    assert.equal(await keys.get('openai'), 'filed');
    assert.equal(await keys.get('anthropic'), 'from-env');
    assert.equal(await keys.get('chatgpt'), undefined);
    const openai = providerKeys.find(({ provider }) => provider === 'openai');
    assert.equal(openai && (await keys.origin(openai)), 'file');
  });

  it('that VS Code has lost are known by name, and found nowhere else', async () => {
    const remembered = new Map<string, unknown>();
    const memory = {
      get: (name: string) => remembered.get(name) as never,
      update: (name: string, value: unknown) => Promise.resolve(void remembered.set(name, value)),
    };
    const stored = new Map<string, string>();
    const keys = new ApiKeys(storage(stored), {}, { memory });
    await keys.set('anthropic', 'sk-secret');
    await keys.set('openai', 'sk-other');
    assert.deepEqual(await keys.lost(), []);
    assert.ok(!JSON.stringify([...remembered]).includes('sk-'));
    stored.clear();
    assert.deepEqual(
      (await keys.lost()).map(({ provider }) => provider),
      ['claude', 'openai'],
    );
    await keys.set('openai', '');
    const reopened = new ApiKeys(storage(stored), {}, { memory });
    const [lost] = await reopened.lost();
    assert.equal(
      lost && lostKeyText(lost),
      'The API key for Anthropic was stored, but this VS Code did not keep it. Set ANTHROPIC_API_KEY where VS Code is started, or run `helios auth login claude` once.',
    );
    const elsewhere = new ApiKeys(storage(stored), { ANTHROPIC_API_KEY: 'a' }, { memory });
    assert.deepEqual(await elsewhere.lost(), []);
  });

  it('of an endpoint are named after it', async () => {
    const keys = new ApiKeys(storage(new Map([['helios.key.endpoint-a', 'kept']])), {
      HELIOS_KEY_LAB_VLLM: 'from-env',
    });
    assert.equal(await keys.get('endpoint-a'), 'kept');
    assert.equal(await keys.get('endpoint-lab-vllm'), 'from-env');
    assert.equal(await keys.get('endpoint-other'), undefined);
  });
});
