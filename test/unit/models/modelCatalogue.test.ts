import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { UserFacing } from '../../../src/base/errors.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { CallFailed } from '../../../src/models/guarded.ts';
import { ModelCache } from '../../../src/models/list/modelCache.ts';
import type { ModelDescription, ModelProvider } from '../../../src/models/model.ts';
import { LiveCatalogue, type CatalogueDeps } from '../../../src/models/modelCatalogue.ts';
import { writeFileAtomic } from '../../../src/storage/atomicFile.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

const hourMs = 60 * 60_000;

const model = (id: string, more: Partial<ModelDescription> = {}): ModelDescription => ({
  ...{ id, label: `The ${id}`, contextTokens: 1000, maxOutputTokens: 100 },
  ...more,
});

interface Fake extends ModelProvider {
  asked: number;
}

/** A provider whose list is what `list` gives; the first of its models is its default. */
function provider(id: string, known: readonly string[], more: Partial<ModelProvider> = {}): Fake {
  const { list, ...rest } = more;
  const fake: Fake = {
    ...{ id, label: id.toUpperCase(), defaultModel: known[0] ?? '', asked: 0 },
    models: () => known.map((each) => model(each)),
    stream: () => assert.fail('nothing is to be asked of the model'),
    ...(list && {
      list: (signal) => {
        fake.asked += 1;
        return list(signal);
      },
    }),
    ...rest,
  };
  return fake;
}

describe('the catalogue of models', () => {
  const folder = scratchFolder();
  const clock = new ManualClock();
  const file = (): string => path.join(folder(), 'home', 'models.json');
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
  const open = (
    providers: readonly ModelProvider[],
    more: Partial<CatalogueDeps> = {},
  ): LiveCatalogue =>
    new LiveCatalogue({
      providers: () => providers,
      configured: () => ({ provider: providers[0]?.id ?? '' }),
      isPriced: () => true,
      cache: new ModelCache({ path: file(), write: writeFileAtomic, clock, logger }),
      ...{ clock, logger },
      ...more,
    });
  const idsOf = (catalogue: LiveCatalogue): string[] =>
    catalogue.known().map(({ provider: owner, model: { id } }) => `${owner}/${id}`);

  it('asks those that are ready, side by side, and is held up by none that is dead', async () => {
    const live = provider('a', ['a-1'], {
      defaultFamily: 'a',
      list: () => Promise.resolve([model('a-2')]),
    });
    const dead = provider('b', ['b-1'], { list: () => new Promise(() => undefined) });
    const broken = provider('c', ['c-1'], {
      list: () => Promise.reject(new CallFailed({ reason: 'auth', message: 'C refused the key.' })),
    });
    const unready = provider('d', ['d-1'], {
      list: () => Promise.resolve([]),
      readiness: () => Promise.resolve({ isReady: false, problem: 'No key.', action: 'Set one.' }),
    });
    const silent = provider('e', ['e-1'], { readiness: () => new Promise(() => undefined) });
    const plain = provider('f', ['f-1']);
    const catalogue = open([live, dead, broken, unready, silent, plain]);
    const listing = catalogue.list();
    await clock.advance(10_000);
    const { entries, problems } = await listing;
    assert.deepEqual(
      [...problems],
      [
        ['b', 'B did not answer within 10 s.'],
        ['c', 'C refused the key.'],
        ['d', 'No key. Set one.'],
        ['e', 'E did not answer within 10 s.'],
      ],
    );
    assert.deepEqual(
      entries.map((entry) => [entry.provider, entry.model.id, entry.source]),
      [['a', 'a-2', 'live'], ...['b', 'c', 'd', 'e', 'f'].map((id) => [id, `${id}-1`, 'known'])],
    );
    assert.equal(unready.asked, 0);
    assert.equal(clock.pendingTimers, 0);
  });

  it('remembers for an hour, also in the next process, and asks anew when told to', async () => {
    let models = [
      model('a-2', { price: { input: 1, output: 2 }, efforts: ['low'], releasedMs: 7 }),
    ];
    const asked = provider('a', ['a-1'], {
      defaultFamily: 'a',
      list: () => Promise.resolve(models),
    });
    const first = open([asked]);
    const { entries } = await first.list();
    await first.list();
    assert.equal(asked.asked, 1);
    const second = open([asked]);
    assert.deepEqual(second.known(), entries);
    models = [model('a-3')];
    await second.list();
    assert.deepEqual([asked.asked, idsOf(second)], [1, ['a/a-2']]);
    await second.list({ isFresh: true });
    assert.deepEqual([asked.asked, idsOf(second)], [2, ['a/a-3']]);
    await clock.advance(hourMs - 1);
    await second.list();
    assert.equal(asked.asked, 2);
    await clock.advance(1);
    await second.list();
    assert.equal(asked.asked, 3);
  });

  it('keeps what another process heard of another provider meanwhile', async () => {
    const [a, b] = ['a', 'b'].map((id) =>
      provider(id, [`${id}-1`], {
        defaultFamily: id,
        list: () => Promise.resolve([model(`${id}-2`)]),
      }),
    );
    assert.ok(a && b);
    const [one, other] = [open([a]), open([b])];
    assert.deepEqual([idsOf(one), idsOf(other)], [['a/a-1'], ['b/b-1']]);
    await one.list();
    await other.list();
    assert.deepEqual(idsOf(open([a, b])), ['a/a-2', 'b/b-2']);
  });

  it('shows what was heard before when it cannot ask', async () => {
    let isUp = true;
    const shaky = provider('a', ['a-1'], {
      defaultFamily: 'a',
      list: () => (isUp ? Promise.resolve([model('a-2')]) : Promise.reject(new Error('down'))),
    });
    const catalogue = open([shaky]);
    await catalogue.list();
    isUp = false;
    const { entries, problems } = await catalogue.list({ isFresh: true });
    assert.deepEqual(
      [entries.map((entry) => entry.model.id), problems.get('a')],
      [['a-2'], 'down'],
    );
  });

  for (const [what, text] of [
    ['no JSON', '{ "version": 1, "prov'],
    [
      'of another shape',
      '{ "version": 1, "providers": { "a": { "heardMs": 1, "models": [{}] } } }',
    ],
  ])
    it(`takes a file that is ${what} for none, says so, and makes it anew`, async () => {
      mkdirSync(path.dirname(file()));
      writeFileSync(file(), text ?? '');
      warnings.length = 0;
      const asked = provider('a', ['a-1'], {
        defaultFamily: 'a',
        list: () => Promise.resolve([model('a-2')]),
      });
      const catalogue = open([asked]);
      assert.deepEqual(idsOf(catalogue), ['a/a-1']);
      assert.match(warnings.join('\n'), /models\.json is damaged/);
      await catalogue.list();
      assert.equal((JSON.parse(readFileSync(file(), 'utf8')) as { version: number }).version, 1);
      assert.deepEqual(idsOf(open([asked])), ['a/a-2']);
    });

  it('goes on where nothing can be written, and says so', async () => {
    writeFileSync(path.join(folder(), 'home'), 'a file in the way');
    warnings.length = 0;
    const asked = provider('a', ['a-1'], {
      defaultFamily: 'a',
      list: () => Promise.resolve([model('a-2')]),
    });
    const catalogue = open([asked]);
    const { problems } = await catalogue.list();
    assert.deepEqual([idsOf(catalogue), problems.size], [['a/a-2'], 0]);
    assert.match(warnings.join('\n'), /could not be saved/);
  });

  it('is not waited for any longer than is wanted, and asks once for all who ask', async () => {
    const slow = provider('a', ['a-1'], { list: () => new Promise(() => undefined) });
    const catalogue = open([slow]);
    const abort = new AbortController();
    const [one, other] = [catalogue.list({ signal: abort.signal }), catalogue.list()];
    abort.abort();
    assert.equal((await one).problems.get('a'), 'The request was cancelled.');
    catalogue.dispose();
    await other;
    assert.equal(slow.asked, 1);
  });

  it('takes sizes and prices from the provider, names and the rest from what is known', async () => {
    const asked = provider('a', [], {
      defaultFamily: 'a',
      models: () => [
        model('a-1', { label: 'A one', efforts: ['low', 'high'], price: { input: 9, output: 9 } }),
      ],
      list: () =>
        Promise.resolve([
          model('a-1-20260101', {
            label: 'a-1-20260101',
            contextTokens: 5,
            price: { input: 1, output: 2 },
          }),
        ]),
    });
    const catalogue = open([asked]);
    await catalogue.list();
    const live = model('a-1-20260101', {
      ...{
        label: 'A one',
        contextTokens: 5,
        efforts: ['low', 'high'],
        price: { input: 1, output: 2 },
      },
    });
    assert.deepEqual(catalogue.describe('a', 'a-1-20260101'), live);
    assert.deepEqual(catalogue.describe('a', 'a-1'), live);
    assert.equal(catalogue.describe('a', 'a-2'), undefined);
    assert.equal(catalogue.describe('nobody', 'a-1'), undefined);
  });

  describe('for a default', () => {
    const asked = (list: readonly ModelDescription[], more: Partial<ModelProvider> = {}) =>
      provider('a', ['claude-opus-4'], {
        defaultFamily: 'opus',
        list: () => Promise.resolve(list),
        ...more,
      });
    const defaultOf = (catalogue: LiveCatalogue): string => {
      const { model: id } = catalogue.resolve('default');
      assert.deepEqual(
        catalogue.known().flatMap((entry) => (entry.isDefault ? [entry.model.id] : [])),
        [id],
      );
      return id;
    };

    it('takes the newest of the family that is there, and not what is retiring', async () => {
      const catalogue = open([
        asked([
          model('claude-opus-9', { isRetiring: true }),
          model('claude-opus-8'),
          model('claude-fable-9'),
        ]),
      ]);
      assert.equal(defaultOf(catalogue), 'claude-opus-4');
      await catalogue.list();
      assert.equal(defaultOf(catalogue), 'claude-opus-8');
    });

    it('takes one whose price is known, if there is one, save on a plan', async () => {
      const live = [model('claude-opus-9'), model('claude-opus-8')];
      const isPriced = (_provider: string, id: string): boolean => id === 'claude-opus-8';
      for (const [more, isKnown, expected] of [
        [{}, isPriced, 'claude-opus-8'],
        [{}, () => false, 'claude-opus-9'],
        [{ billing: 'plan' }, isPriced, 'claude-opus-9'],
      ] as const) {
        const catalogue = open([asked(live, more)], { isPriced: isKnown });
        await catalogue.list();
        assert.equal(defaultOf(catalogue), expected);
      }
    });

    it('takes what the user set, of the settings or of an endpoint', async () => {
      const list = [model('claude-opus-8'), model('claude-haiku-8')];
      const configured = () => ({ provider: 'a', model: 'haiku' });
      const catalogue = open([asked(list)], { configured });
      await catalogue.list();
      assert.equal(defaultOf(catalogue), 'claude-haiku-8');
      const endpoint = provider('own', ['private-1'], {
        list: () => Promise.resolve([model('private-2')]),
      });
      const other = open([endpoint]);
      await other.list();
      assert.equal(defaultOf(other), 'private-1');
    });

    it('lists all the same where the setting is wrong, and says so when it is used', () => {
      const catalogue = open([asked([])], { configured: () => ({ provider: 'a', model: 'opsu' }) });
      assert.deepEqual(idsOf(catalogue), ['a/claude-opus-4']);
      assert.throws(() => catalogue.resolve('default'), /no model opsu/);
    });
  });

  describe('for a word', () => {
    const providers = [
      provider('claude', ['claude-opus-5', 'claude-opus-4-6', 'claude-haiku-4-5']),
      provider('openai', ['gpt-5.4', 'gpt-5.4-mini']),
      provider('router', ['openai/gpt-5.4', 'anthropic/claude-opus-4.6', 'mixtral-8x7b']),
      provider('bedrock', ['us.anthropic.claude-opus-4-6-v1:0']),
    ];
    const understood: readonly [word: string, provider: string | undefined, expected: string][] = [
      ['gpt-5.4', undefined, 'openai gpt-5.4'],
      ['GPT-5.4', undefined, 'openai gpt-5.4'],
      ['opus', undefined, 'claude claude-opus-5'],
      ['opus 4.6', undefined, 'claude claude-opus-4-6'],
      ['opus', 'bedrock', 'bedrock us.anthropic.claude-opus-4-6-v1:0'],
      ['bedrock/opus', undefined, 'bedrock us.anthropic.claude-opus-4-6-v1:0'],
      ['gpt-mini', undefined, 'openai gpt-5.4-mini'],
      ['claude-haiku-4-5-20251001', undefined, 'claude claude-haiku-4-5-20251001'],
      ['openai/gpt-5.4', undefined, 'openai gpt-5.4'],
      ['openai/gpt-5.4', 'router', 'router openai/gpt-5.4'],
      ['router/openai/gpt-5.4', undefined, 'router openai/gpt-5.4'],
      ['router/openai/gpt-5.4', 'router', 'router openai/gpt-5.4'],
      ['mixtral-8x7b', undefined, 'router mixtral-8x7b'],
      ['openai/gpt-7-private', undefined, 'openai gpt-7-private'],
      ['my-model', 'router', 'router my-model'],
      ['default', undefined, 'claude claude-opus-5'],
      ['default', 'openai', 'openai gpt-5.4'],
    ];
    for (const [word, owner, expected] of understood)
      it(`takes ${word}${owner === undefined ? '' : ` of ${owner}`} for ${expected}`, () => {
        const found = open(providers).resolve(word, owner);
        assert.equal(`${found.provider} ${found.model}`, expected);
      });

    it('prefers the provider of the settings', () => {
      const catalogue = open(providers, { configured: () => ({ provider: 'bedrock' }) });
      assert.equal(catalogue.resolve('opus').provider, 'bedrock');
      assert.equal(catalogue.resolve('gpt').provider, 'openai');
    });

    const refused: readonly [word: string, provider: string | undefined, said: RegExp][] = [
      ['opsu', undefined, /no model opsu.*Did you mean opus/s],
      ['gtp-5.4', undefined, /Did you mean gpt-5\.4/],
      ['5.4-mini', undefined, /Did you mean gpt-5\.4-mini/],
      ['zzz', undefined, /provider\/model/],
      ['opsu', 'claude', /Did you mean opus/],
      ['openai/opus', undefined, /OPENAI has no opus.*claude, router, bedrock/s],
      ['openai/', undefined, /no model/],
      [' ', undefined, /No model is named/],
      ['gpt', 'nobody', /no model provider nobody.*claude, openai, router, bedrock/s],
      ['default', 'nobody', /no model provider nobody/],
    ];
    for (const [word, owner, said] of refused)
      it(`refuses "${word}"${owner === undefined ? '' : ` of ${owner}`} and helps`, () => {
        assert.throws(
          () => open(providers).resolve(word, owner),
          (error) => error instanceof UserFacing && said.test(`${error.message}\n${error.action}`),
        );
      });
  });
});
