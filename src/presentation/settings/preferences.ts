/**
 * The schema of `preferences.json`: the settings that the terminal shares, under the engine's
 * names.
 */
import * as z from 'zod';
import type { Setting } from './setting.ts';
import { settingNames, settingOf } from './settings.ts';

/** Settings by their path in the file: `effort`, `web.searxngUrl`. */
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

/** Ignores unknown names at the top level; refuses them inside a group. */
export const preferencesSchema = z.object(
  Object.fromEntries(
    [...Map.groupBy(preferences, ([place]) => partsOf(place)[0])].map(([name, members]) => [
      name,
      z.exactOptional(schemaOf(members)),
    ]),
  ),
);

/**
 * A group is loose if its values are validated where they are used: that check reports unknown
 * names.
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
