/** Judges whether the accesses of a call use keys. The classifier judges those of commands. */
import type { Access } from './access.ts';
import { strictest, type KeyPaths, type KeyUse } from './keyPaths.ts';

/** Returns the strictest use of a key by a path; `undefined` if the accesses use none. */
export const keyUse = (accesses: readonly Access[], keys: KeyPaths): KeyUse | undefined =>
  strictest(accesses.flatMap((access) => usesOf(access, keys)));

const usesOf = (access: Access, keys: KeyPaths): readonly (KeyUse | undefined)[] =>
  'path' in access
    ? [access.path, access.linkPath ?? '', access.realPath ?? ''].map((path) => keys.useOf(path))
    : [];
