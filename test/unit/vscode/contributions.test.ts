import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'mocha';
import {
  chatCommands,
  contextKeys,
  defaults,
  itemCommands,
  modelVendor,
  paletteCommands,
  participant,
  restrictedSettings,
  settingKey,
  viewContainer,
  views,
  walkthroughId,
  type Settings,
} from '../../../src/vscode/ui/contributions.ts';

interface Manifest {
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
  readonly keywords: readonly string[];
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string; readonly icon?: string }[];
    readonly menus: Readonly<Record<string, readonly { readonly command: string; readonly when: string }[]>>;
    readonly configuration: readonly {
      readonly properties: Readonly<
        Record<string, { readonly default: unknown; readonly markdownDescription: string }>
      >;
    }[];
    readonly views: Readonly<Record<string, readonly { readonly id: string }[]>>;
    readonly chatParticipants: readonly { id: string; name: string; commands: readonly { name: string }[] }[];
    readonly languageModelChatProviders: readonly { vendor: string; managementCommand: string }[];
    readonly walkthroughs: readonly {
      readonly id: string;
      readonly steps: readonly {
        readonly description: string;
        readonly media: { readonly svg?: string; readonly markdown?: string };
        readonly completionEvents: readonly string[];
      }[];
    }[];
  };
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const { contributes } = manifest;
const commandIds: readonly string[] = [...paletteCommands, ...itemCommands];
const sorted = (values: readonly string[]): string[] => [...values].sort();
const commandsIn = (text: string): string[] =>
  [...text.matchAll(/(?:command:|onCommand:)(helios\.\w+)/g)].map((match) => match[1] ?? '');

describe('contributions and manifest', () => {
  it('name the same commands', () => {
    assert.deepEqual(sorted(contributes.commands.map(({ command }) => command)), sorted(commandIds));
  });

  it('hide from the palette what needs a row or a button, and nothing else', () => {
    const hidden = (contributes.menus.commandPalette ?? []).map(({ command }) => command);
    assert.deepEqual(sorted(hidden), sorted(itemCommands));
  });

  it('name the same settings with the same defaults', () => {
    const properties = Object.assign({}, ...contributes.configuration.map((each) => each.properties)) as Record<
      string,
      { default: unknown; markdownDescription: string }
    >;
    const keys = Object.keys(defaults) as (keyof Settings)[];
    assert.deepEqual(sorted(Object.keys(properties)), sorted(keys.map(settingKey)));
    for (const key of keys) {
      assert.deepEqual(properties[settingKey(key)]?.default, defaults[key], key);
      assert.ok((properties[settingKey(key)]?.markdownDescription.length ?? 0) > 20, key);
    }
  });

  it('restrict the same settings in a workspace that is not trusted', () => {
    const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
    assert.deepEqual(sorted(restricted), sorted(restrictedSettings.map(settingKey)));
  });

  it('name the same views, participant, chat commands and model vendor', () => {
    assert.deepEqual(
      sorted((contributes.views[viewContainer] ?? []).map(({ id }) => id)),
      sorted(Object.values(views)),
    );
    const [agent] = contributes.chatParticipants;
    assert.deepEqual({ id: agent?.id, name: agent?.name }, participant);
    assert.deepEqual(sorted((agent?.commands ?? []).map(({ name }) => name)), sorted(chatCommands));
    assert.equal(contributes.languageModelChatProviders[0]?.vendor, modelVendor);
    assert.equal(contributes.walkthroughs[0]?.id, walkthroughId);
  });

  it('refer only to commands, context keys and files that exist', () => {
    const text = JSON.stringify(contributes);
    for (const command of commandsIn(text)) assert.ok(commandIds.includes(command), command);
    for (const items of Object.values(contributes.menus))
      for (const { command } of items) assert.ok(commandIds.includes(command), command);
    const known: readonly string[] = [...commandIds, ...Object.values(contextKeys), ...Object.values(views)];
    const whens = [...text.matchAll(/"(?:when|enablement)":"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1] ?? '');
    for (const word of whens.flatMap((when) => when.match(/helios\.\w+/g) ?? [])) assert.ok(known.includes(word), word);
    for (const step of contributes.walkthroughs.flatMap((each) => each.steps))
      assert.ok(readFileSync(step.media.svg ?? step.media.markdown ?? '').length > 0);
  });

  it('keep to five keywords', () => {
    assert.ok(manifest.keywords.length <= 5);
  });
});
