/**
 * Schema of `preferences.json`: the settings that VS Code shares with the terminal, under the names
 * that the engine uses.
 */
import * as z from 'zod';
import type { Setting } from './setting.ts';
import { settingNames, settingOf } from './settings.ts';

/** Settings by their path in the file, such as `effort` or `web.searxngUrl`. */
export const preferences: ReadonlyMap<string, Setting> = new Map(
  settingNames.map(settingOf).flatMap((setting): [string, Setting][] => {
    const { engine, isPreference } = setting;
    return isPreference && engine !== undefined ? [[engine, setting]] : [];
  }),
);

const partsOf = (place: string): readonly [group: string, field?: string] => {
  const [group = '', field] = place.split('.');
  return field === undefined ? [group] : [group, field];
};

/** Schema of the file. Unknown names are ignored at the top level but are errors inside a group. */
export const preferencesSchema = z.object(
  Object.fromEntries(
    [...Map.groupBy(preferences, ([place]) => partsOf(place)[0])].map(([name, members]) => [
      name,
      z.exactOptional(schemaOf(members)),
    ]),
  ),
);

/**
 * Returns the schema of a group. If the values are validated where they are used, the schema allows
 * unknown names, because that validation reports them.
 */
function schemaOf(members: readonly (readonly [place: string, setting: Setting])[]): z.ZodType {
  const shape: Record<string, z.ZodType> = {};
  for (const [place, { written, isRequired }] of members) {
    const [, field] = partsOf(place);
    if (field === undefined) return written;
    shape[field] = isRequired ? written : z.exactOptional(written);
  }
  return members.every(([, { schema }]) => schema !== undefined)
    ? z.looseObject(shape)
    : z.strictObject(shape);
}
