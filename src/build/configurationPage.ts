/** Generates `docs/configuration.md` from the declared settings and fields. */
import { endpointVariable } from '../models/endpoints.ts';
import { declarationOf, keySources, providerIds } from '../models/providerList.ts';
import { channelSchema } from '../notify/settings.ts';
import { environmentVariables } from '../presentation/settings/environment.ts';
import { preferences } from '../presentation/settings/preferences.ts';
import type { Setting } from '../presentation/settings/setting.ts';
import {
  settingKey,
  settingNames,
  settingOf,
  settingSections,
} from '../presentation/settings/settings.ts';
import { projectJsonSchema } from '../project/projectJsonSchema.ts';
import { schemaOf } from './manifest.ts';
import { code, codes, fieldLines, type FieldSchema } from './schemaList.ts';

/**
 * Returns the page as Markdown, formatted as Prettier does, because `npm run format:check` also
 * checks this page.
 */
export const configurationPage = (): string =>
  `${[
    '# Configuration',
    '<!-- Written by `npm run manifest`. Change the declarations, not this file. -->',
    'VS Code has its values as settings; the `helios` command has options, the environment and `preferences.json` in the home folder, in this order. A `helios.json` configures one project.',
    ...settingParts(),
    ...preferencesPart(),
    ...projectPart(),
    ...channelsPart(),
    ...providersPart(),
    ...variablesPart(),
  ].join('\n\n')}\n`;

const settingParts = (): readonly string[] => [
  '## Settings',
  ...Object.entries(settingSections).flatMap(([title, names]) => [
    `### ${title}`,
    names.map((name) => settingText(settingKey(name), settingOf(name))).join('\n\n'),
  ]),
];

function settingText(key: string, setting: Setting): string {
  const { engine, isPreference, option, schema } = setting;
  const terminal = [
    ...(option ? [code(option)] : []),
    ...(isPreference && engine ? [preferenceText(engine)] : []),
  ];
  const facts = [
    `Default: ${valueText(setting.default)}.`,
    ...(terminal.length > 0 ? [`Terminal: ${terminal.join(', ')}.`] : []),
    ...(setting.isRestricted ? ['Ignored in an untrusted workspace.'] : []),
  ];
  const { items, ...json } = (schema ? schemaOf(schema) : setting.json) as FieldSchema;
  const fields = items?.oneOf
    ? []
    : [...valueLines(json), ...valueLines(items), ...fieldLines(items ?? json)];
  return [
    `- ${code(key)}: ${plainLinks(setting.description)}`,
    '',
    facts.join(' '),
    ...(fields.length > 0 ? [''] : []),
    ...fields,
  ]
    .map((line, index) => (index === 0 || line === '' ? line : `  ${line}`))
    .join('\n');
}

const preferenceText = (place: string): string => `${code(place)} in ${code('preferences.json')}`;
const valueText = (value: unknown): string =>
  value === '' ? 'empty' : code(JSON.stringify(value));

/** Lists the values of an enum with their effects. */
function valueLines(schema: FieldSchema | undefined): readonly string[] {
  const texts = schema?.markdownEnumDescriptions ?? schema?.enumDescriptions ?? [];
  return (schema?.enum ?? []).map(
    (value, index) => `- ${code(value)}: ${plainLinks(texts[index] ?? '')}`,
  );
}

/** Returns the text with plain text instead of links that only VS Code understands. */
const plainLinks = (text: string): string =>
  text
    .replaceAll(/\[([^\]]+)\]\(command:[^)]+\)/g, '**$1**')
    .replaceAll(/`#([\w.]+)#`/g, '`$1`')
    .replaceAll('\n', '\n  ')
    .replaceAll(/^ +$/gm, '');

const preferencesPart = (): readonly string[] => [
  '## preferences.json',
  'The file stands in the home folder, `~/.helios` by default. What it leaves out has the default of the setting. A point stands for an object: `web.searxngUrl` is `{ "web": { "searxngUrl": "…" } }`.',
  [...preferences].map(([place]) => `- ${code(place)}: ${codes(settingsAt(place))}`).join('\n'),
];

const settingsAt = (place: string): readonly string[] =>
  settingNames.filter((name) => settingOf(name).engine === place).map(settingKey);

const projectPart = (): readonly string[] => [
  '## helios.json',
  'The file stands in the folder of a project or above it, and may have comments. **Helios: Open Project File (helios.json)** and `helios init` create it. Its values go before the settings, and can narrow what you allowed, never widen it.',
  fieldLines(projectJsonSchema() as FieldSchema).join('\n'),
];

const channelsPart = (): readonly string[] => [
  '## Notification channels',
  'Entries of `helios.notifications.channels`, of `notifications.channels` in `preferences.json`, and of `notifications.channels` in `helios.json`.',
  ...((schemaOf(channelSchema) as FieldSchema).oneOf ?? []).flatMap((channel) => [
    `### ${channel.properties?.['type']?.const ?? ''}`,
    channel.description ?? '',
    fieldLines(channel).join('\n'),
  ]),
];

const providersPart = (): readonly string[] => [
  '## Providers',
  providerIds
    .map((id) => {
      const { label, description, auth, secret, variables } = declarationOf(id);
      const key =
        variables &&
        ` Key: ${codes(variables)}, or the file \`auth/${secret}\` of the home folder.`;
      return `- ${code(id)} (${label}): ${description}${key ?? ''}${auth === 'optionalKey' ? ' The key is optional.' : ''}`;
    })
    .join('\n'),
  `Each entry of \`helios.endpoints\` is a provider, too. The key of the endpoint \`lab\` is ${code(endpointVariable('lab'))}, or the file \`auth/endpoint-lab\`.`,
];

/** Lists the environment variables: those of settings, those of keys, and all others. */
function variablesPart(): readonly string[] {
  const ofSettings = settingNames.flatMap((name): [string, string][] => {
    const { variable } = settingOf(name);
    return variable === undefined
      ? []
      : [[variable, `\`${settingKey(name)}\`, where that is empty.`]];
  });
  const ofKeys = keySources.flatMap(({ provider, variables }) =>
    variables.map((variable): [string, string] => [variable, `API key of ${code(provider)}.`]),
  );
  const all = [...ofSettings, ...ofKeys, ...Object.entries(environmentVariables)];
  const byName = Map.groupBy(all, ([name]) => name);
  return [
    '## Environment variables',
    [...byName]
      .map(([name, entries]) => `- ${code(name)}: ${entries.map(([, text]) => text).join(' ')}`)
      .join('\n'),
  ];
}
