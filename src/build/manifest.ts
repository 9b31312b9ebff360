/** Generates the settings part of `package.json` from the declared settings. */
import * as z from 'zod';
import type { Setting } from '../presentation/settings/setting.ts';
import {
  isOfUser,
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
 * Replaces the settings in `text`, the text of `package.json`, by the declared settings. Everything
 * else stays unchanged.
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

const restricted = (): readonly string[] => settingNames.filter(isOfUser).map(settingKey);

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
 * Returns the JSON schema of a setting for `package.json`. Omits the minimum and maximum of an
 * integer if they are only the limits of a JavaScript integer.
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
