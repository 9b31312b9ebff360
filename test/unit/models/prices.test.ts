import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  claudeModels,
  defaultClaudeModel,
  defaultOpenaiModel,
  openaiModels,
} from '../../../src/models/catalogue.ts';
import { noUsage, type Usage } from '../../../src/models/model.ts';
import {
  billedUsage,
  costOf,
  extendPrices,
  listPrices,
  withToldPrices,
  withSearches,
  worstCaseUsd,
  type Cost,
} from '../../../src/models/prices.ts';

const million: Usage = {
  inputTokens: 1_000_000,
  cacheReadTokens: 1_000_000,
  cacheWriteTokens: 1_000_000,
  outputTokens: 1_000_000,
};

function usd(cost: Cost): number {
  assert.ok('usd' in cost, JSON.stringify(cost));
  return Math.round(cost.usd * 1e6) / 1e6;
}

describe('prices', () => {
  it('count the four kinds of tokens', () => {
    assert.equal(usd(costOf('claude', 'claude-opus-4-6', million)), 5 + 0.5 + 6.25 + 25);
    assert.equal(
      usd(costOf('claude', 'claude-sonnet-4-6', { ...noUsage, cacheReadTokens: 1e6 })),
      0.3,
    );
    assert.equal(
      usd(costOf('openai', 'gpt-5.3-codex', { ...noUsage, inputTokens: 1e6, outputTokens: 1e6 })),
      15.75,
    );
    assert.equal(
      usd(costOf('openai', 'gpt-5.1-codex-mini', { ...noUsage, cacheReadTokens: 1e6 })),
      0.025,
    );
  });

  it('know a model by its dated id and its alias', () => {
    for (const model of ['claude-haiku-4-5-20251001', 'claude-haiku-4-5-latest'])
      assert.equal(usd(costOf('claude', model, { ...noUsage, outputTokens: 1e6 })), 5);
    assert.equal(
      usd(costOf('openai', 'gpt-5.4-mini-2026-03-17', { ...noUsage, outputTokens: 1e6 })),
      4.5,
    );
  });

  it('rise for a long context where the provider says so', () => {
    assert.equal(
      usd(costOf('openai', 'gpt-5.4', { ...noUsage, inputTokens: 272_000, outputTokens: 1000 })),
      0.695,
    );
    assert.equal(
      usd(costOf('openai', 'gpt-5.4', { ...noUsage, inputTokens: 272_001, outputTokens: 1000 })),
      1.382505,
    );
  });

  it('are unknown, and not nothing, for a model that is not listed', () => {
    for (const [provider, model] of [
      ['claude', 'claude-opus-9'],
      ['openai', 'gpt-5.4-turbo'],
      ['compatible', 'gpt-5.4'],
    ] as const) {
      const cost = costOf(provider, model, million);
      assert.ok('unknown' in cost && cost.unknown.includes(`${provider}/${model}`));
    }
  });

  it('are nothing for the demo, which is no model', () => {
    assert.equal(usd(costOf('demo', 'scripted', million)), 0);
  });

  it('are there for every model of the catalogue, and for the defaults', () => {
    for (const { id } of claudeModels) assert.ok('usd' in costOf('claude', id, noUsage), id);
    for (const { id } of openaiModels) assert.ok('usd' in costOf('openai', id, noUsage), id);
    assert.ok(claudeModels.some(({ id }) => id === defaultClaudeModel));
    assert.ok(openaiModels.some(({ id }) => id === defaultOpenaiModel));
  });

  it('take those of a setting first, the most exact one', () => {
    const table = extendPrices(listPrices, {
      'compatible/*': { input: 1, output: 2 },
      'compatible/qwen*': { input: 0.1, output: 0.2, cacheRead: 0.01 },
      'claude/claude-opus-4-6': { input: 0, output: 0 },
    });
    assert.equal(usd(costOf('compatible', 'llama', million, table)), 5);
    assert.equal(usd(costOf('compatible', 'qwen3-coder', million, table)), 0.41);
    assert.equal(usd(costOf('claude', 'claude-opus-4-6', million, table)), 0);
    assert.equal(
      usd(costOf('claude', 'claude-haiku-4-5', { ...noUsage, inputTokens: 1e6 }, table)),
      1,
    );
    assert.deepEqual(extendPrices(listPrices, undefined), listPrices);
  });

  it('go by what providers tell, and before that by the setting, whatever it fits', () => {
    const entries = [
      { provider: 'compatible', model: { id: 'qwen3', price: { input: 1, output: 2 } } },
      {
        provider: 'openai',
        model: { id: 'gpt-5.4', price: { input: 3, output: 20, cacheRead: 0.3 } },
      },
      {
        provider: 'openai',
        model: { id: 'gpt-5.4-mini-2026-03-17', price: { input: 1, output: 9 } },
      },
      { provider: 'openai', model: { id: 'gpt-5.5' } },
    ];
    const told = withToldPrices(listPrices, entries);
    assert.equal(usd(costOf('compatible', 'qwen3', million, told)), 5);
    assert.equal(
      usd(costOf('openai', 'gpt-5.4', { ...noUsage, cacheReadTokens: 1e5 }, told)),
      0.03,
    );
    assert.equal(usd(costOf('openai', 'gpt-5.4', { ...noUsage, inputTokens: 1e6 }, told)), 6);
    assert.equal(usd(costOf('openai', 'gpt-5.5', { ...noUsage, outputTokens: 1e5 }, told)), 3);
    const set = extendPrices(told, {
      'compatible/*': { input: 7, output: 7 },
      'openai/gpt-5.4-mini': { input: 8, output: 8 },
    });
    assert.equal(usd(costOf('compatible', 'qwen3', { ...noUsage, inputTokens: 1e6 }, set)), 7);
    assert.equal(
      usd(costOf('openai', 'gpt-5.4-mini-2026-03-17', { ...noUsage, inputTokens: 1e6 }, set)),
      8,
    );
    assert.equal(usd(costOf('openai', 'gpt-5.4', { ...noUsage, inputTokens: 1e5 }, set)), 0.3);
  });

  const wrong: Readonly<Record<string, unknown>> = {
    'no provider': { 'gpt-5.4': { input: 1, output: 1 } },
    'a price below nothing': { 'openai/x': { input: -1, output: 1 } },
    'a price that is text': { 'openai/x': { input: '1', output: 1 } },
    'a price without output': { 'openai/x': { input: 1 } },
    'a word that means nothing': { 'openai/x': { input: 1, output: 1, ouput: 1 } },
    'a list': [1],
  };
  for (const [name, value] of Object.entries(wrong))
    it(`refuse a setting with ${name}, and say what is right`, () => {
      assert.throws(() => extendPrices(listPrices, value), {
        reason: 'user',
        message: /invalid:\n.+/s,
        action: /provider\/model/,
      });
    });

  it('bound the next call: the whole context written to the cache, the longest reply', () => {
    const next = { contextTokens: 100_000, maxOutputTokens: 10_000 };
    assert.equal(usd(worstCaseUsd('claude', 'claude-opus-4-6', next)), 0.875);
    assert.equal(usd(worstCaseUsd('openai', 'gpt-5.4', next)), 0.4);
    assert.equal(
      usd(worstCaseUsd('openai', 'gpt-5.4', { ...next, contextTokens: 300_000 })),
      1.725,
    );
    assert.ok('unknown' in worstCaseUsd('compatible', 'qwen', next));
  });

  it('charge for the searches of a provider beside its tokens, where no plan covers them', () => {
    assert.deepEqual(withSearches({ usd: 1 }, 'claude', 3), { usd: 1.03 });
    assert.deepEqual(withSearches({ usd: 1, isPlan: true }, 'chatgpt', 3), {
      usd: 1,
      isPlan: true,
    });
    assert.deepEqual(withSearches({ unknown: 'no price' }, 'claude', 3), { unknown: 'no price' });
  });

  it('count attempts that failed', () => {
    const reply = { content: [], stop: 'stop', usage: million, model: 'm' } as const;
    assert.equal(billedUsage(reply), million);
    assert.equal(billedUsage({ ...reply, discardedUsage: million }).outputTokens, 2_000_000);
  });
});
