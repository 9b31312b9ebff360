/** Generates the settings part of `package.json` from the declared settings. */
import * as z from 'zod';
import type { Setting } from '../presentation/settings/setting.ts';
import {
  settingKey,
  settingNames,
  settingOf,
  settingSections,
} from '../presentation/settings/settings.ts';

interface Manifest {
  readonly capabilities: { readonly untrustedWorkspaces: object };
  readonly contributes: object;
}

/**
 * Returns the text of `package.json` with the declared settings; everything else stays unchanged.
 */
export function withSettings(text: string): string {
  const manifest = JSON.parse(text) as Manifest;
  Object.assign(manifest.contributes, { configuration: configuration() });
  Object.assign(manifest.capabilities.untrustedWorkspaces, {
    restrictedConfigurations: restricted(),
  });
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

const configuration = (): readonly object[] =>
  Object.entries(settingSections).map(([title, names], section) => ({
    title,
    order: section + 1,
    properties: Object.fromEntries(
      names.map((name, index) => [settingKey(name), propertyOf(settingOf(name), index + 1)]),
    ),
  }));

const restricted = (): readonly string[] =>
  settingNames.filter((name) => settingOf(name).isRestricted).map(settingKey);

const propertyOf = (
  { json, schema, description, scope = 'window', ...setting }: Setting,
  order: number,
): object => ({
  ...(schema === undefined ? json : schemaOf(schema)),
  default: setting.default,
  markdownDescription: description,
  scope,
  order,
});

/**
 * Returns the JSON schema for `package.json`, without the bounds of an integer that are just the
 * limits of JavaScript.
 */
export function schemaOf(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const {
    $schema: _,
    description: __,
    ...json
  } = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return json;
}
