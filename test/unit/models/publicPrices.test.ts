import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import {
  catalogueShape,
  catalogueText,
  publicShape,
  refresh,
  type Catalogue,
} from '../../../src/build/publicPrices.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

const price = (input: number, output: number) => ({
  input,
  output,
  cacheRead: input / 10,
  cacheWrite: input,
});

const catalogue: Catalogue = {
  listed: {
    claude: {
      'claude-a-1': {
        label: 'Claude A',
        contextTokens: 200_000,
        maxOutputTokens: 64_000,
        price: price(5, 25),
      },
      'claude-priced': { price: price(1, 5) },
    },
    openai: {
      'gpt-long': {
        ...{ label: 'Long', contextTokens: 400_000, maxOutputTokens: 128_000, price: price(5, 30) },
        long: { contextTokens: 272_000, inputFactor: 2, outputFactor: 1.5 },
      },
    },
  },
  own: { claude: { 'claude-a-1': { why: 'Longer replies break.', maxOutputTokens: 32_000 } } },
  searchUsd: { claude: 0.01 },
};

const model = (
  cost: unknown,
  limit = { context: 200_000, output: 64_000 },
  date = '2026-06-30',
) => ({
  ...{ id: 'of no use', name: 'Its Name', release_date: date, tool_call: true, reasoning: true },
  ...{ cost, limit },
});

/** As models.dev writes it, with the models of ours as they are in `catalogue`. */
const listWith = (
  anthropic: Readonly<Record<string, unknown>> = {},
  openai: Readonly<Record<string, unknown>> = {},
) =>
  publicShape.parse({
    anthropic: {
      id: 'anthropic',
      models: {
        'claude-a-1': model({ input: 5, output: 25, cache_read: 0.5, cache_write: 5 }),
        'claude-priced': model({ input: 1, output: 5, cache_read: 0.1 }),
        ...anthropic,
      },
    },
    openai: {
      models: {
        'gpt-long': model(
          {
            ...{ input: 5, output: 30, cache_read: 0.5 },
            tiers: [
              { input: 10, output: 45, cache_read: 1, tier: { type: 'context', size: 272_000 } },
            ],
          },
          { context: 400_000, output: 128_000 },
        ),
        ...openai,
      },
    },
    google: { models: {} },
    'another-provider': { models: 'of any shape' },
  });

describe('prices of a public list', () => {
  it('change nothing where they are ours', () => {
    const refreshed = refresh(catalogue, listWith());
    assert.deepEqual(refreshed, {
      catalogue,
      changes: [],
      doubts: [],
      unlisted: [],
      newcomers: [],
    });
  });

  it('go before ours, and every change is told', () => {
    const dearer = model(
      { input: 6, output: 25, cache_read: 0.6 },
      { context: 1_000_000, output: 64_000 },
    );
    const flat = model(
      { input: 5, output: 30, cache_read: 0.5 },
      { context: 400_000, output: 128_000 },
    );
    const refreshed = refresh(catalogue, listWith({ 'claude-a-1': dearer }, { 'gpt-long': flat }));
    assert.deepEqual(refreshed.changes, [
      'claude/claude-a-1 contextTokens: 200000 → 1000000',
      'claude/claude-a-1 input: 5 → 6',
      'claude/claude-a-1 cacheRead: 0.5 → 0.6',
      'claude/claude-a-1 cacheWrite: 5 → 6',
      'openai/gpt-long long.contextTokens: 272000 → none',
      'openai/gpt-long long.inputFactor: 2 → none',
      'openai/gpt-long long.outputFactor: 1.5 → none',
    ]);
    assert.deepEqual(refreshed.doubts, []);
    const { 'claude-a-1': changed, 'claude-priced': priced } =
      refreshed.catalogue.listed.claude ?? {};
    assert.equal(changed?.label, 'Claude A');
    assert.deepEqual(changed?.price, { input: 6, output: 25, cacheRead: 0.6, cacheWrite: 6 });
    assert.deepEqual(Object.keys(priced ?? {}), ['price'], 'one that is not offered has no limits');
    assert.deepEqual(refreshed.catalogue.own, catalogue.own);
  });

  it('leave a model as it is that the list does not have', () => {
    const refreshed = refresh(catalogue, listWith({ 'claude-priced': undefined }));
    assert.deepEqual(
      [refreshed.catalogue, refreshed.unlisted],
      [catalogue, ['claude/claude-priced']],
    );
    const odd = refresh(catalogue, listWith({ 'claude-priced': { name: 'no model of ours' } }));
    assert.deepEqual([odd.catalogue, odd.unlisted], [catalogue, ['claude/claude-priced']]);
  });

  const unlikely: Readonly<Record<string, unknown>> = {
    'ten times as dear': model({ input: 50, output: 25, cache_read: 0.5, cache_write: 5 }),
    'a tenth of the price': model({ input: 5, output: 2.5, cache_read: 0.5, cache_write: 5 }),
    free: model({ input: 5, output: 0, cache_read: 0.5, cache_write: 5 }),
    'of a window ten times as large': model(
      { input: 5, output: 25, cache_read: 0.5, cache_write: 5 },
      { context: 2_000_000, output: 64_000 },
    ),
  };
  for (const [what, told] of Object.entries(unlikely))
    it(`are doubted for a model that is ${what}`, () => {
      assert.equal(refresh(catalogue, listWith({ 'claude-a-1': told })).doubts.length, 1);
    });

  it('are doubted when the list lacks most of our models', () => {
    const { doubts } = refresh(
      catalogue,
      listWith({ 'claude-a-1': undefined, 'claude-priced': undefined }),
    );
    assert.deepEqual(doubts, ['The list has 0 of 2 models of claude.']);
  });

  it('are no list at all without a provider, or with a price below nothing', () => {
    assert.equal(publicShape.safeParse({ anthropic: { models: {} } }).success, false);
    const { unlisted } = refresh(
      catalogue,
      listWith({ 'claude-a-1': model({ input: -5, output: 25 }) }),
    );
    assert.deepEqual(unlisted, ['claude/claude-a-1']);
  });

  it('tell of models that came lately, and take those that are asked for', () => {
    const newer = model({ input: 2, output: 10, cache_read: 0.2, cache_write: 2.5 });
    const list = listWith({
      'claude-b-2': newer,
      'claude-old': { ...newer, release_date: '2024-01-01' },
    });
    assert.deepEqual(refresh(catalogue, list).newcomers, ['claude/claude-b-2']);
    const { catalogue: taken, newcomers } = refresh(catalogue, list, ['claude/claude-b-2']);
    assert.deepEqual(taken.listed.claude?.['claude-b-2'], {
      ...{ label: 'Its Name', contextTokens: 200_000, maxOutputTokens: 64_000 },
      price: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
    });
    assert.deepEqual(newcomers, []);
  });
});

describe('the file of models', () => {
  const folder = scratchFolder();
  const read = (): string => readFileSync('src/models/catalogue.json', 'utf8');
  const text = read();
  const file = catalogueShape.parse(JSON.parse(text));

  it('is as the script writes it', () => {
    assert.equal(catalogueText(file), text);
  });

  it('says why an entry of ours goes before one of the list', () => {
    for (const [provider, models] of Object.entries(file.own))
      for (const [id, { why }] of Object.entries(models))
        if (file.listed[provider]?.[id] !== undefined) assert.ok(why, `${provider}/${id}`);
  });

  it('is not touched by a list that looks wrong', () => {
    mkdirSync(folder(), { recursive: true });
    const list = join(folder(), 'api.json');
    for (const [wrong, why] of [
      [{ anthropic: { models: {} } }, /is not a list/],
      [
        { anthropic: { models: {} }, openai: { models: {} }, google: { models: {} } },
        /Nothing was written/,
      ],
    ] as const) {
      writeFileSync(list, JSON.stringify(wrong));
      const { status, stderr } = spawnSync(
        process.execPath,
        ['src/build/prices.ts', '--from', list],
        {
          encoding: 'utf8',
        },
      );
      assert.equal(status, 1);
      assert.match(stderr, why);
      assert.equal(read(), text);
    }
  });
});
