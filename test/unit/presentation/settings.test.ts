import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { readerOf } from '../../../src/cli/commandTable.ts';
import {
  engineSettingsOf,
  settingsOfEnvironment,
} from '../../../src/presentation/settings/engineSettings.ts';
import { preferences, preferencesSchema } from '../../../src/presentation/settings/preferences.ts';
import {
  defaultOf,
  settingNames,
  settingOf,
  settingSections,
  type SettingName,
  type Settings,
} from '../../../src/presentation/settings/settings.ts';
import { fakeDeps } from '../../fakes/cliDeps.ts';

const engineWith = (values: Partial<Settings>) =>
  engineSettingsOf((name: SettingName) => values[name] ?? defaultOf(name));

describe('settings', () => {
  it('stand in one section each', () => {
    assert.deepEqual(Object.values(settingSections).flat(), settingNames);
  });

  it('become one field of the engine each', () => {
    const fields = settingNames
      .map((name) => settingOf(name).engine)
      .filter((field) => field !== undefined);
    assert.deepEqual([...new Set(fields)], fields);
  });

  it('reach the engine with their defaults, and without what is not set', () => {
    assert.deepEqual(engineWith({}), {
      provider: 'claude',
      prices: {},
      endpoints: [],
      web: { allowsPrivateAddresses: false },
      permissionMode: 'ask',
      protectsGit: true,
      maxKeptFileBytes: 10_000_000,
      idleTurns: 8,
      plateau: { experiments: 12, onPlateau: 'advise' },
      watchdogs: {},
      keepAwake: false,
      notifications: { channels: [{ type: 'vscode' }], events: [] },
      allowsProjectCommands: false,
      report: 'always',
    });
  });

  it('reach the engine as they are set', () => {
    const { dayLimits, effort, maxKeptFileBytes, consult, notifications, web } = engineWith({
      ...{
        'budget.day.usd': 20,
        'budget.day.tokens': 1.5,
        'model.effort': 'high',
        'git.maxFileMb': 0.5,
      },
      ...{
        'consult.provider': 'openai',
        'consult.model': 'gpt',
        'web.searxngUrl': 'http://localhost:8888',
      },
      'notifications.quietHours': { from: '22:00', to: '07:00' },
    });
    assert.deepEqual(
      { dayLimits, effort, maxKeptFileBytes, consult },
      {
        dayLimits: { usd: 20, tokens: 2 },
        effort: 'high',
        maxKeptFileBytes: 500_000,
        consult: { provider: 'openai', model: 'gpt' },
      },
    );
    assert.deepEqual(web, { searxngUrl: 'http://localhost:8888', allowsPrivateAddresses: false });
    assert.deepEqual((notifications as { quietHours: unknown }).quietHours, {
      from: '22:00',
      to: '07:00',
    });
  });

  it('leave out a limit that is none', () => {
    assert.equal(engineWith({ 'budget.day.usd': -1, 'budget.day.tokens': 0 }).dayLimits, undefined);
  });

  it('leave out a group without the member that it needs', () => {
    assert.equal(engineWith({ 'consult.model': 'gpt' }).consult, undefined);
  });

  it('come from the environment where it has them', () => {
    const env = { ANTHROPIC_BASE_URL: ' http://gateway ', OPENAI_BASE_URL: ' ', HELIOS_HOME: '/h' };
    assert.deepEqual(settingsOfEnvironment(env), { anthropicBaseUrl: 'http://gateway' });
  });

  for (const name of settingNames) {
    const { description, json } = settingOf(name);
    it(`say what ${name} does`, () => {
      const texts = [
        description,
        ...((json['markdownEnumDescriptions'] as string[] | undefined) ?? []),
      ];
      for (const text of texts) {
        assert.match(text, /^[A-Z].*\.$/s);
        assert.doesNotMatch(text, /^(?:What|Who|Whether|Where|How)\b/);
      }
    });
  }
});

describe('settings of the terminal', () => {
  it('are the options that there are', () => {
    const line = { deps: fakeDeps({ folder: '/nowhere' }), home: undefined, code: 0 };
    const help = readerOf([], line, () => Promise.resolve(0)).helpInformation();
    for (const option of settingNames.map((name) => settingOf(name).option))
      assert.ok(option === undefined || new RegExp(`${option}\\b`).test(help), option);
  });

  it('are preferences by the names of the engine', () => {
    const groups = new Set([...preferences.keys()].map((place) => place.split('.')[0]));
    assert.deepEqual(Object.keys(preferencesSchema.shape), [...groups]);
  });
});
