import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { readerOf } from '../../../src/cli/commandTable.ts';
import {
  engineSettingsOf,
  settingsOfEnvironment,
} from '../../../src/presentation/settings/engineSettings.ts';
import { configuredValue } from '../../../src/presentation/settings/configuredValue.ts';
import { preferences, preferencesSchema } from '../../../src/presentation/settings/preferences.ts';
import {
  defaultOf,
  isOfUser,
  settingKey,
  settingNames,
  settingOf,
  settingSections,
  type SettingName,
  type Settings,
} from '../../../src/presentation/settings/settings.ts';
import { fakeDeps } from '../../fakes/cliDeps.ts';
import { repositoryRoot } from '../../setup/paths.ts';

const engineWith = (values: Partial<Settings>) =>
  engineSettingsOf((name: SettingName) => values[name] ?? defaultOf(name));

/**
 * The settings that a workspace may set, each with the reason why no value of it widens what the
 * agent may do, run, send, spend or connect to. A new setting is either of the user or gets a reason
 * here.
 */
const mayBeOfWorkspace: Partial<Readonly<Record<SettingName, string>>> = {
  'model.effort': 'Changes how long the model reasons; budgets of the user limit what it costs.',
  'git.maxFileMb': 'Limits what is stored on this computer with the code of an experiment.',
  'session.idleTurns': 'Ends a session sooner or later; budgets of the user limit what it costs.',
  'session.plateauExperiments': 'Moves the point of advice, as helios.json does.',
  'session.onPlateau': 'Advises or ends, as helios.json does.',
  watchdogs: 'Warns, asks or ends runs, as helios.json does.',
  'session.keepAwake': 'Changes only when the computer sleeps.',
  'chat.followMinutes': 'Changes only how long the chat shows a session.',
  'notifications.events': 'Selects what is sent to the channels of the user, as helios.json does.',
  'notifications.quietHours': 'Holds notifications back, as helios.json does.',
  'report.write': 'Writes a brief of Helios into the folder of the workspace itself.',
  'report.open': 'Changes only which document opens.',
};

async function declaredScopes(): Promise<ReadonlyMap<string, string | undefined>> {
  const { contributes } = JSON.parse(
    await readFile(join(repositoryRoot, 'package.json'), 'utf8'),
  ) as {
    contributes: { configuration: { properties: Record<string, { scope?: string }> }[] };
  };
  const all = contributes.configuration.flatMap(({ properties }) => Object.entries(properties));
  return new Map(all.map(([name, { scope }]) => [name, scope]));
}

describe('settings', () => {
  it('stand in one section each', () => {
    assert.deepEqual(Object.values(settingSections).flat(), settingNames);
  });

  it('stand in sections that a user looks for, the permission mode first in its own', () => {
    assert.deepEqual(Object.keys(settingSections), [
      ...['Model', 'Permissions', 'Budget', 'Sessions', 'Notifications', 'Watchdogs'],
      ...['Reports', 'Storage', 'Advanced'],
    ]);
    assert.equal(settingSections['Permissions']?.[0], 'permissions.mode');
  });

  it('have descriptions of at most 160 characters, also for their values', () => {
    const shown = (text: string): string => text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
    const texts = settingNames.flatMap((name) => {
      const { description, json } = settingOf(name);
      const values = (json['markdownEnumDescriptions'] ?? []) as readonly string[];
      return [description, ...values].map((text) => [name, shown(text)] as const);
    });
    assert.deepEqual(
      texts.filter(([, text]) => text.length > 160),
      [],
    );
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
      confinement: 'auto',
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

  it('can be set by a workspace only where no value can widen anything', async () => {
    const ofWorkspace = settingNames.filter((name) => !isOfUser(name));
    assert.deepEqual(ofWorkspace.toSorted(), Object.keys(mayBeOfWorkspace).toSorted());
    const declared = await declaredScopes();
    assert.deepEqual([...declared.keys()], settingNames.map(settingKey));
    for (const name of settingNames) {
      const scopes = isOfUser(name) ? ['application', 'machine'] : ['window'];
      assert.ok(scopes.includes(declared.get(settingKey(name)) ?? ''), name);
    }
  });

  for (const name of settingNames) {
    it(`take ${name} from a workspace only where it may be there`, () => {
      const merged = {
        get: <Value>() => 'of the workspace' as Value,
        inspect: <Value>() => ({
          defaultValue: 'default' as Value,
          globalValue: 'of the user' as Value,
          workspaceValue: 'of the workspace',
          workspaceFolderValue: 'of the workspace',
        }),
      };
      const unset = { ...merged, inspect: () => undefined };
      const may = Object.hasOwn(mayBeOfWorkspace, name);
      assert.equal(configuredValue(merged, name), may ? 'of the workspace' : 'of the user');
      assert.equal(configuredValue(unset, name), may ? 'of the workspace' : defaultOf(name));
    });
  }

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
