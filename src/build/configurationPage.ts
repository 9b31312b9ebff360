/** Generates `docs/configuration.md` from the declared settings and the schema of `helios.json`. */
import { endpointVariable } from '../models/endpoints.ts';
import { declarationOf, keySources, providerIds } from '../models/providerList.ts';
import { channelSchema } from '../notify/settings.ts';
import { environmentVariables } from '../presentation/settings/environment.ts';
import { preferences } from '../presentation/settings/preferences.ts';
import {
  isOfUser,
  settingKey,
  settingNames,
  settingOf,
  settingSections,
  type SettingName,
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
    'In VS Code, the settings apply. The `helios` command reads its options, environment variables and `preferences.json` in the home folder, in this order of precedence. A `helios.json` configures one project.',
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
    names.map(settingText).join('\n\n'),
  ]),
];

function settingText(name: SettingName): string {
  const setting = settingOf(name);
  const { description, details, engine, isPreference, option, schema } = setting;
  const terminal = [
    ...(option ? [code(option)] : []),
    ...(isPreference && engine ? [preferenceText(engine)] : []),
  ];
  const facts = [
    `Default: ${valueText(setting.default)}.`,
    ...(terminal.length > 0 ? [`Command line: ${terminal.join(', ')}.`] : []),
    ...(isOfUser(name) ? ['Ignored in the settings of a workspace.'] : []),
  ];
  const { items, ...json } = (schema ? schemaOf(schema) : setting.json) as FieldSchema;
  const fields = items?.oneOf
    ? []
    : [...valueLines(json), ...valueLines(items), ...fieldLines(items ?? json)];
  return [
    `- ${code(settingKey(name))}: ${plainLinks([description, details ?? ''].join(' ').trim())}`,
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

/** Replaces links that work only in VS Code with plain text. */
const plainLinks = (text: string): string =>
  text
    .replaceAll(/\[([^\]]+)\]\(command:[^)]+\)/g, '**$1**')
    .replaceAll(/`#([\w.]+)#`/g, '`$1`')
    .replaceAll('\n', '\n  ')
    .replaceAll(/^ +$/gm, '');

const preferencesPart = (): readonly string[] => [
  '## preferences.json',
  'The file is in the home folder, by default `~/.helios`. A value that is not in the file has the default of its setting. A dot in a name separates an object from its field: `web.searxngUrl` is `{ "web": { "searxngUrl": "…" } }`.',
  [...preferences].map(([place]) => `- ${code(place)}: ${codes(settingsAt(place))}`).join('\n'),
];

const settingsAt = (place: string): readonly string[] =>
  settingNames.filter((name) => settingOf(name).engine === place).map(settingKey);

const projectPart = (): readonly string[] => [
  '## helios.json',
  'The file is in the folder of a project or in a folder above it, and may contain comments. **Helios: Open Project File (helios.json)** and `helios init` create it. Its values take precedence over the settings. They can restrict what you allowed, but never extend it. `provider`, `model`, `defaultMachine` and `notifications` with channels count after you have allowed them, with **Helios: Allow Project File…** or `helios allow`.',
  fieldLines(projectJsonSchema() as FieldSchema).join('\n'),
];

const channelsPart = (): readonly string[] => [
  '## Notification channels',
  'Entries of `helios.notifications.channels`, of `notifications.channels` in `preferences.json`, and of `notifications.channels` in `helios.json`, where channels cannot use `${env:NAME}`, `${secret:name}` or private addresses.',
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

/**
 * Lists the environment variables: those that set a setting, those that hold an API key, and those
 * in `environmentVariables`.
 */
function variablesPart(): readonly string[] {
  const ofSettings = settingNames.flatMap((name): [string, string][] => {
    const { variable } = settingOf(name);
    return variable === undefined
      ? []
      : [[variable, `Used for \`${settingKey(name)}\` while that setting is empty.`]];
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
