/** Judges the paths that a call reads and writes. The classifier judges those in commands. */
import type { Access } from './access.ts';
import { strictest, type PathRules, type PathUse } from './pathRules.ts';

/** Returns the strictest rule on a path of the accesses; `undefined` if there is none. */
export const pathUse = (accesses: readonly Access[], rules: PathRules): PathUse | undefined =>
  strictest(accesses.flatMap((access) => usesOf(access, rules)));

const usesOf = (access: Access, rules: PathRules): readonly (PathUse | undefined)[] =>
  'path' in access
    ? [access.path, access.linkPath, access.realPath, access.givenPath].map((path) =>
        path === undefined ? undefined : rules.useOf(path, access.kind),
      )
    : [];
