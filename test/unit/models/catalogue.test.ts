import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { claudeModels, describedModel, openaiModels } from '../../../src/models/catalogue.ts';
import { aliasOf, newestFirst, newestOf } from '../../../src/models/modelFamily.ts';

const named = (...ids: string[]) => ids.map((id) => ({ id }));

describe('families of models', () => {
  const aliases: Readonly<Record<string, string>> = {
    'claude-opus-4-6': 'opus',
    'claude-haiku-4-5-20251001': 'haiku',
    'claude-haiku-4-5@20251001': 'haiku',
    'claude-3-5-sonnet-20241022': 'sonnet',
    'us.anthropic.claude-opus-4-6-v1:0': 'opus',
    'anthropic.claude-3-5-sonnet-20241022-v2:0': 'sonnet',
    'anthropic/claude-opus-4.6': 'opus',
    'gpt-5.4': 'gpt',
    'gpt-5.4-mini-2026-03-17': 'gpt-mini',
    'gpt-6.1-sol': 'gpt',
    'gpt-6-luna': 'gpt-mini',
    'gpt-4o': 'gpt',
    'gpt-5.3-codex': 'codex',
    'gpt-5.1-codex-mini': 'codex-mini',
    'gpt-5-pro': 'gpt-pro',
    'gpt-oss-120b': 'gpt-oss-120b',
    o3: 'o',
    'gemini-3-pro-preview': 'gemini',
    'gemini-2.5-pro-preview-05-06': 'gemini',
    'gemini-2.0-flash-001': 'flash',
    'gemini-2.5-flash-lite-preview-09-2025': 'flash-lite',
    'models/gemini-3.1-flash': 'flash',
    'qwen3-coder': 'qwen-coder',
    'mistral-large-2512': 'mistral-large',
  };
  for (const [id, alias] of Object.entries(aliases))
    it(`call ${id} ${alias}`, () => {
      assert.equal(aliasOf({ id }), alias);
      assert.equal(newestOf([{ id }], alias)?.id, id);
    });

  it('are those that the provider says, where it does', () => {
    assert.equal(aliasOf({ id: 'claude-next', family: 'claude-opus' }), 'opus');
  });

  it('go by version before date, by what is final before a preview, by the plain id before others', () => {
    const models = [
      { id: 'gpt-5.4-2026-03-05' },
      { id: 'gpt-5.10' },
      { id: 'gpt-5.4', releasedMs: 5 },
      { id: 'gpt-5.9-preview', releasedMs: 9 },
      { id: 'gpt-5.9' },
      { id: 'gpt-5.4-mini', releasedMs: 99 },
    ];
    assert.deepEqual(
      newestFirst(models, 'gpt').map(({ id }) => id),
      ['gpt-5.10', 'gpt-5.9', 'gpt-5.9-preview', 'gpt-5.4', 'gpt-5.4-2026-03-05'],
    );
    const undated = [
      { id: 'qwen-max', releasedMs: 1 },
      { id: 'qwen-max-latest', releasedMs: 2 },
    ];
    assert.equal(newestOf(undated, 'qwen-max')?.id, 'qwen-max-latest');
  });

  it('leave out what is retiring', () => {
    const models = [{ id: 'claude-opus-9', isRetiring: true }, { id: 'claude-opus-8' }];
    assert.equal(newestOf(models, 'opus')?.id, 'claude-opus-8');
    assert.equal(newestOf(models.slice(0, 1), 'opus'), undefined);
  });

  const versions: readonly [alias: string, id: string | undefined][] = [
    ['opus-4.6', 'claude-opus-4-6'],
    ['Opus 4.6', 'claude-opus-4-6'],
    ['claude-opus-4-6', 'claude-opus-4-6'],
    ['opus 5', 'claude-opus-5'],
    ['claude-opus', 'claude-opus-5'],
    ['opus-4', undefined],
    ['op', undefined],
  ];
  for (const [alias, id] of versions)
    it(`take ${alias} for ${id ?? 'nothing'}`, () => {
      assert.equal(
        newestOf(named('claude-opus-4-6', 'claude-opus-5', 'claude-sonnet-6'), alias)?.id,
        id,
      );
    });
});

describe('the list of known models', () => {
  it('has one newest of each family that a user would name', () => {
    for (const alias of ['opus', 'sonnet', 'haiku', 'fable'])
      assert.ok(newestOf(claudeModels, alias), alias);
    for (const alias of ['gpt', 'gpt-mini', 'codex'])
      assert.ok(newestOf(openaiModels, alias), alias);
  });

  it('says of each which efforts make a difference', () => {
    const efforts = (id: string) =>
      describedModel([...claudeModels, ...openaiModels], id)?.efforts?.join(' ');
    assert.equal(efforts('claude-opus-4-6'), 'none low medium high max');
    assert.equal(efforts('claude-sonnet-5-5'), 'none low medium high xhigh max');
    assert.equal(efforts('claude-opus-5-5'), 'low medium high xhigh max');
    assert.equal(efforts('claude-haiku-4-5'), 'none minimal low medium high xhigh max');
    assert.equal(efforts('gpt-5.3-codex'), 'low medium high xhigh');
    assert.equal(efforts('gpt-6-sol'), 'none low medium high xhigh max');
    assert.equal(efforts('gpt-5.1-codex-mini'), 'low medium high');
  });

  it('knows a model with and without its date', () => {
    const models = [{ id: 'a-20250101', label: 'dated', contextTokens: 1, maxOutputTokens: 1 }];
    assert.equal(describedModel(models, 'a-20250101')?.label, 'dated');
    assert.equal(describedModel(claudeModels, 'claude-haiku-4-5-20251001')?.id, 'claude-haiku-4-5');
    assert.equal(describedModel(claudeModels, 'claude-nothing'), undefined);
  });
});
