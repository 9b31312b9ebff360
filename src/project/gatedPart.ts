/** Decides which fields of a `helios.json` are ignored until the user has allowed them. */
import { createHash } from 'node:crypto';
import type { Project } from './projectSchema.ts';

/**
 * When a field of a `helios.json` is used.
 * - `always`: always, because it can only restrict what the user allowed
 * - `own`: at once if only the user can change the file, because it sends and runs nothing
 * - `allowed`: when the user has allowed its content, because it sends or runs something, or
 * determines where something is sent or run
 */
type Rule = 'always' | 'own' | 'allowed';

const rules: { readonly [Field in keyof Required<Project>]: (value: Project) => Rule } = {
  $schema: () => 'own',
  provider: () => 'allowed',
  model: () => 'allowed',
  defaultMachine: () => 'allowed',
  metricNames: () => 'own',
  metricPatterns: () => 'own',
  target: () => 'own',
  instructions: () => 'own',
  experimentDir: () => 'own',
  // Without channels, the field only chooses events and quiet hours for the channels of the user.
  notifications: ({ notifications }) =>
    (notifications?.channels ?? []).length === 0 ? 'own' : 'allowed',
  quietHours: () => 'own',
  budget: () => 'always',
  runMinutes: () => 'always',
  watchdogs: () => 'own',
  plateau: () => 'own',
  mandate: () => 'allowed',
  permissions: () => 'always',
};

/**
 * Returns the fields that are ignored until the user has allowed them. `isForeign`: whether other
 * users can change the file.
 */
export function gatedPart(project: Project, isForeign: boolean): Project {
  const isGated = (field: string): boolean => {
    const rule = rules[field as keyof Project](project);
    return rule === 'allowed' || (isForeign && rule === 'own');
  };
  return Object.fromEntries(
    Object.entries(project).filter(([field, value]) => value !== undefined && isGated(field)),
  );
}

/** Returns the project without the fields of `gated`. */
export const withoutPart = (project: Project, gated: Project): Project =>
  Object.fromEntries(Object.entries(project).filter(([field]) => !Object.hasOwn(gated, field)));

/**
 * Returns the id of an allowance, a hash of the path of the file and the content of its gated
 * fields.
 */
export const allowanceId = (realFile: string, gated: Project): string =>
  createHash('sha256')
    .update(JSON.stringify([realFile, gated]))
    .digest('hex');
