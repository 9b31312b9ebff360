/**
 * Applies the path rules to the files that a call reads and writes. Paths in commands are judged by
 * the classifier.
 */
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
