import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { UserFacing } from '../../../src/base/errors.ts';
import {
  claudeModels,
  claudeThinking,
  openaiEffort,
  openaiModels,
} from '../../../src/models/catalogue.ts';
import type { Effort } from '../../../src/models/effort.ts';
import type { ModelDescription } from '../../../src/models/model.ts';
import type { CatalogueEntry } from '../../../src/models/modelCatalogue.ts';
import { extendPrices, listPrices } from '../../../src/models/prices.ts';
import { effortFor, effortLevels, parseEffort } from '../../../src/presentation/models/effort.ts';
import { pricesText } from '../../../src/presentation/models/modelAmounts.ts';
import {
  modelRowHeader,
  modelRows,
  problemLines,
  withinReach,
} from '../../../src/presentation/models/modelRows.ts';
import {
  modelFor,
  modelText,
  parseModelArguments,
  reasoningText,
  switchedText,
} from '../../../src/presentation/models/modelText.ts';
import { editDistance, nearMatches } from '../../../src/base/nearMatches.ts';

describe('words that are not known', () => {
  const distances: readonly [one: string, other: string, distance: number][] = [
    ['', '', 0],
    ['', 'abc', 3],
    ['opus', 'opus', 0],
    ['opsu', 'opus', 1],
    ['kitten', 'sitting', 3],
    ['gtp-5.4', 'gpt-5.4', 1],
    ['sonet', 'sonnet', 1],
  ];
  for (const [one, other, distance] of distances)
    it(`are ${distance} from each other: ${one}, ${other}`, () => {
      assert.equal(editDistance(one, other), distance);
      assert.equal(editDistance(other, one), distance);
    });

  it('have near ones, the nearest first, three at most, each once', () => {
    assert.deepEqual(nearMatches('sonet', ['haiku', 'sonnets', 'sonnet', 'sonnet']), ['sonnet']);
    assert.deepEqual(nearMatches('sonnetts', ['sonnet', 'sonnets']), ['sonnets', 'sonnet']);
    assert.deepEqual(
      nearMatches('mini', ['gpt-1-mini', 'gpt-2-mini', 'gpt-3-mini', 'gpt-4-mini']).length,
      3,
    );
    assert.deepEqual(nearMatches('zz', ['opus', 'gpt']), []);
  });
});

describe('levels of reasoning', () => {
  it('are said as they are called', () => {
    for (const level of effortLevels) assert.equal(parseEffort(` ${level.toUpperCase()} `), level);
    assert.equal(parseEffort('default'), undefined);
    for (const [word, said] of [
      [
        'hihg',
        /Did you mean high\?\nLevels: none, minimal, low, medium, high, xhigh, max, or default/,
      ],
      ['everything', /no reasoning effort everything\.\nLevels/],
      ['', /Levels/],
    ] as const)
      assert.throws(
        () => parseEffort(word),
        (error) => error instanceof UserFacing && said.test(`${error.message}\n${error.action}`),
      );
  });

  const answers: readonly [
    efforts: readonly Effort[] | undefined,
    asked: Effort,
    used: Effort | undefined,
    note: RegExp | undefined,
  ][] = [
    [undefined, 'max', 'max', undefined],
    [['low', 'high'], 'high', 'high', undefined],
    [['low', 'medium', 'high'], 'max', 'high', /^m supports low, medium, high; high is used\.$/],
    [['low', 'medium', 'high'], 'none', 'low', /low is used/],
    [['low', 'high'], 'medium', 'low', /low is used/],
    [['high', 'low'], 'medium', 'low', /low is used/],
    [['none', 'low', 'high'], 'minimal', 'none', /^m supports none, low, high; none is used\.$/],
    [['low', 'high'], 'minimal', 'low', /low is used/],
    [['low', 'high', 'max'], 'xhigh', 'high', /high is used/],
    [['none', 'xhigh'], 'max', 'xhigh', /xhigh is used/],
    [[], 'high', undefined, /^m does not support a reasoning effort; none is sent\.$/],
  ];
  for (const [efforts, asked, used, note] of answers)
    it(`become ${used ?? 'nothing'} when ${asked} is asked of a model that knows ${efforts?.join(', ') ?? 'who knows what'}`, () => {
      const answer = effortFor({ id: 'm', ...(efforts && { efforts }) }, asked);
      assert.equal(answer.effort, used);
      if (note === undefined) assert.equal(answer.note, undefined);
      else assert.match(answer.note ?? '', note);
    });

  it('are what is really sent, for every known model', () => {
    for (const model of openaiModels)
      for (const asked of effortLevels) {
        const { effort } = effortFor(model, asked);
        assert.ok(effort !== undefined);
        assert.equal(
          openaiEffort(model.id, effort),
          openaiEffort(model.id, asked),
          `${model.id} ${asked}`,
        );
      }
    for (const model of claudeModels) {
      const { effort, note } = effortFor(model, 'none');
      const isLowest = claudeThinking(model.id).off === 'lowest';
      assert.deepEqual(
        [effort, note !== undefined],
        [isLowest ? 'low' : 'none', isLowest],
        model.id,
      );
    }
  });
});

const description: ModelDescription = {
  id: 'gpt-5.4',
  label: 'GPT-5.4',
  contextTokens: 1_050_000,
  maxOutputTokens: 128_000,
};

describe('prices', () => {
  it('are short', () => {
    assert.deepEqual(pricesText('openai', 'gpt-5.4', listPrices), {
      input: '$2.50',
      output: '$15.00',
    });
    assert.equal(pricesText('own', 'x', listPrices), undefined);
    const cheap = extendPrices(listPrices, { 'own/x': { input: 0.001, output: 0 } });
    assert.deepEqual(pricesText('own', 'x', cheap), { input: '$0.001', output: '$0.00' });
  });
});

describe('the table of models', () => {
  const entry = (
    provider: string,
    model: ModelDescription,
    more: Partial<CatalogueEntry> = {},
  ): CatalogueEntry => ({
    ...{ provider, model, source: 'known', isDefault: false },
    ...more,
  });
  const own: ModelDescription = {
    ...{ id: 'q', label: 'q', contextTokens: 32_768, maxOutputTokens: 8192 },
    ...{ toolCalls: 'text', acceptsImages: false, isRetiring: true },
  };
  const listing = {
    entries: [
      entry('openai', description, { isDefault: true, source: 'live' }),
      entry('own', own),
      entry(
        'own',
        {
          ...own,
          id: 'r',
          label: 'r',
          toolCalls: 'native',
          acceptsImages: true,
          isRetiring: false,
        },
        { source: 'live' },
      ),
    ],
    problems: new Map([['own', 'It is down.']]),
  };

  it('says of each what it holds and costs, and what is to be known of it', () => {
    assert.equal(modelRowHeader.length, 6);
    assert.deepEqual(modelRows(listing, listPrices), [
      ['openai', 'gpt-5.4', '1.05M', '128k', '$2.50 / $15.00', 'default, GPT-5.4'],
      ['own', 'q', '32.8k', '8.19k', '?', 'retiring, tool calls as text, no images, not queried'],
      ['own', 'r', '32.8k', '8.19k', '?', ''],
    ]);
    assert.deepEqual(problemLines(listing), ['own: It is down.']);
    assert.deepEqual(
      withinReach(listing).entries.map(({ model: { id } }) => id),
      ['gpt-5.4', 'r'],
    );
  });
});

describe('words after /switch', () => {
  const providers = [
    { id: 'claude', label: 'Anthropic' },
    { id: 'openai', label: 'OpenAI' },
  ];
  const understood: readonly [text: string, meant: ReturnType<typeof parseModelArguments>][] = [
    ['', undefined],
    ['  ', undefined],
    ['opus', { word: 'opus' }],
    ['opus 4.6', { word: 'opus 4.6' }],
    ['openai/gpt-5.4', { word: 'openai/gpt-5.4' }],
    ['openai', { provider: 'openai', word: 'default' }],
    ['OpenAI  gpt mini', { provider: 'openai', word: 'gpt mini' }],
    ['anthropic opus', { provider: 'claude', word: 'opus' }],
  ];
  for (const [text, meant] of understood)
    it(`understand "${text}"`, () => {
      assert.deepEqual(parseModelArguments(text, providers), meant);
    });

  it('are resolved beside the provider of the session', () => {
    const asked: unknown[] = [];
    const catalogue = {
      resolve: (...args: unknown[]) => {
        asked.push(args);
        return { provider: 'p', model: 'm' };
      },
    };
    assert.equal(modelFor('', { catalogue, providers }), undefined);
    assert.deepEqual(modelFor('openai gpt', { catalogue, providers, current: 'claude' }), {
      provider: 'p',
      model: 'm',
    });
    assert.deepEqual(asked, [['gpt', 'openai', 'claude']]);
  });
});

describe('answers about the model', () => {
  const used = {
    provider: 'openai',
    model: 'gpt-5.4',
    description,
    effort: 'high',
    prices: listPrices,
  } as const;

  it('say all that is known', () => {
    assert.equal(
      modelText(used),
      'openai/gpt-5.4 (GPT-5.4) · 1.05M context, 128k output · $2.50 in, $15.00 out per million tokens · reasoning high',
    );
    assert.equal(
      modelText({ ...used, provider: 'own', model: 'x', description: undefined }),
      'own/x · sizes unknown · price unknown · reasoning high',
    );
    assert.match(
      modelText({ ...used, description: { ...description, efforts: [] } }),
      /no reasoning effort$/,
    );
  });

  it('say what a switch changes and what it does not', () => {
    assert.match(
      switchedText(used),
      /^Switched from the next call on: openai\/gpt-5\.4 .* reasoning high\. History and notes are kept\.$/,
    );
    const limited = {
      ...used,
      description: { ...description, efforts: ['low', 'medium'] } as const,
    };
    assert.match(
      switchedText(limited),
      /reasoning medium\..*are kept\. gpt-5\.4 supports low, medium; medium is used\.$/,
    );
  });

  it('say what becomes of a level', () => {
    assert.equal(reasoningText(used), 'Reasoning effort from the next call on: high.');
    const limited = {
      ...used,
      description: { ...description, efforts: ['low', 'medium'] } as const,
    };
    assert.equal(
      reasoningText(limited),
      'Reasoning effort from the next call on: medium. gpt-5.4 supports low, medium; medium is used.',
    );
    const none = { ...used, description: { ...description, efforts: [] } };
    assert.equal(reasoningText(none), 'gpt-5.4 does not support a reasoning effort; none is sent.');
  });
});
