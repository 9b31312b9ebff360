import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'mocha';
import { approvalAnswers } from '../../../src/presentation/sessions/approvalText.ts';
import {
  approvalFolder,
  approvalLanguage,
  chatCommands,
  contextKeys,
  itemCommands,
  modelVendor,
  paletteCommands,
  participant,
  viewContainer,
  views,
  walkthroughId,
} from '../../../src/vscode/ui/contributions.ts';

interface MenuItem {
  readonly command: string;
  readonly when: string;
  readonly group: string;
}

/** Whether the item's patterns of `viewItem` match the context of a row. */
const matches = (when: string, context: string): boolean =>
  [...when.matchAll(/viewItem =~ \/((?:[^/\\]|\\.)+)\//g)].every(([, pattern = '']) =>
    new RegExp(pattern).test(context),
  );

interface Manifest {
  readonly keywords: readonly string[];
  readonly contributes: {
    readonly commands: readonly {
      readonly command: string;
      readonly title: string;
      readonly icon?: string;
    }[];
    readonly menus: Readonly<Record<string, readonly MenuItem[]>>;
    readonly viewsWelcome: readonly { readonly view: string; readonly when: string }[];
    readonly views: Readonly<Record<string, readonly { readonly id: string }[]>>;
    readonly chatParticipants: readonly {
      id: string;
      name: string;
      commands: readonly { name: string }[];
    }[];
    readonly languages: readonly { id: string; filenamePatterns: readonly string[] }[];
    readonly configurationDefaults: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
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
const titleOf = (id: string): string | undefined =>
  contributes.commands.find(({ command }) => command === id)?.title;
const commandsIn = (text: string): string[] =>
  [...text.matchAll(/(?:command:|onCommand:)(helios\.\w+)/g)].map((match) => match[1] ?? '');

describe('contributions and manifest', () => {
  it('name the same commands', () => {
    assert.deepEqual(
      sorted(contributes.commands.map(({ command }) => command)),
      sorted(commandIds),
    );
  });

  it('hide from the palette what needs a row or a button, and nothing else', () => {
    const hidden = (contributes.menus.commandPalette ?? []).map(({ command }) => command);
    assert.deepEqual(sorted(hidden), sorted(itemCommands));
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
    const known: readonly string[] = [
      ...commandIds,
      ...Object.values(contextKeys),
      ...Object.values(views),
    ];
    for (const event of contributes.walkthroughs.flatMap(({ steps }) =>
      steps.flatMap(({ completionEvents }) => completionEvents),
    ))
      assert.ok(known.includes(event.replace(/^onContext:/, '')), event);
    const whens = [...text.matchAll(/"(?:when|enablement)":"((?:[^"\\]|\\.)*)"/g)].map(
      (match) => match[1] ?? '',
    );
    for (const word of whens.flatMap((when) => when.match(/helios\.\w+/g) ?? []))
      assert.ok(known.includes(word), word);
    for (const step of contributes.walkthroughs.flatMap((each) => each.steps))
      assert.ok(readFileSync(step.media.svg ?? step.media.markdown ?? '').length > 0);
  });

  /** The id of a question begins with the number of scopes that it offers. */
  const whenOffered: Readonly<Record<string, string>> = {
    allow_session: ' && resourcePath =~ /approval.[1-3]-/',
    allow_workspace: ' && resourcePath =~ /approval.[23]-/',
    allow_always: ' && resourcePath =~ /approval.3-/',
  };

  it('show an approval in a language with wrapped lines and a button for each answer', () => {
    const [language] = contributes.languages;
    assert.equal(language?.id, approvalLanguage);
    assert.deepEqual(language?.filenamePatterns, [`**${approvalFolder}*/Approval`]);
    const defaults = contributes.configurationDefaults[`[${approvalLanguage}]`];
    assert.equal(defaults?.['editor.wordWrap'], 'on');
    assert.equal(defaults?.['editor.folding'], false);
    const buttons = contributes.menus['editor/title'] ?? [];
    assert.deepEqual(
      buttons.map(({ command, when }) => [titleOf(command), when]),
      Object.entries(approvalAnswers).map(([title, answer]) => [
        title,
        `resourceLangId == ${approvalLanguage}${whenOffered[answer] ?? ''}`,
      ]),
    );
  });

  it('welcome to an empty list of sessions only once it was read', () => {
    const welcomes = contributes.viewsWelcome.filter(({ view }) => view === views.experiments);
    const trusted = welcomes.filter(({ when }) => !when.includes('!isWorkspaceTrusted'));
    assert.equal(trusted.length, 2);
    for (const { when } of trusted)
      assert.ok(when.split(' && ').includes(contextKeys.sessionsListed), when);
  });

  it('offer to resume what is paused, unfinished, stopped or failed, in the row and in its menu', () => {
    const groupsOf = (command: string, context: string): string[] =>
      (contributes.menus['view/item/context'] ?? [])
        .filter((item) => item.command === command && matches(item.when, context))
        .map(({ group }) => group.replace(/@.*/, ''));
    const both = ['inline', '2_control'];
    assert.deepEqual(groupsOf('helios.unpause', 'session open paused'), both);
    for (const context of ['session unfinished', 'session ended resumable'])
      assert.deepEqual(groupsOf('helios.resumeSession', context), both, context);
    assert.deepEqual(groupsOf('helios.resumeSession', 'session ended'), []);
    assert.equal(titleOf('helios.unpause'), 'Resume');
  });

  it('keep to five keywords', () => {
    assert.ok(manifest.keywords.length <= 5);
  });
});
