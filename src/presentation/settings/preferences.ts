/**
 * The schema of `preferences.json`: the settings that the terminal has, too, under the engine's
 * names.
 */
import * as z from 'zod';
import type { Setting } from './setting.ts';
import { settingNames, settingOf } from './settings.ts';

/** Settings by their place in the file: `effort`, `web.searxngUrl`. */
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

/** Leaves out names that it does not know; inside a group it refuses them. */
export const preferencesSchema = z.object(
  Object.fromEntries(
    [...Map.groupBy(preferences, ([place]) => partsOf(place)[0])].map(([name, members]) => [
      name,
      z.exactOptional(schemaOf(members)),
    ]),
  ),
);

/**
 * A group whose values are checked where they are used is open: that check says what does not
 * belong there.
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
