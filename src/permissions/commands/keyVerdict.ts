/** Adds to the verdict on a command that a path in it leads to a key. */
import { asksAlways, keyNote, strictest, type KeyPaths, type KeyUse } from '../keyPaths.ts';
import { denies, type Verdict } from './verdict.ts';

/** A path in a command. */
export interface FoundPath {
  /** Absolute path as the command names it. */
  readonly path: string;
  /** The path with links resolved; omitted if it is not known. */
  readonly real?: string;
  /** `key`: a file that begins like a private key. Omitted if it is not known. */
  readonly kind?: 'missing' | 'folder' | 'file' | 'key';
}

/**
 * Returns the verdict with the use of a key, if one of the paths leads to it. A file that does not
 * exist holds no password, but what a path shows to be a private key is denied in any case.
 */
export function keyVerdict(verdict: Verdict, paths: readonly FoundPath[], keys: KeyPaths): Verdict {
  if (verdict.kind === 'deny') return verdict;
  const use = strictest(paths.flatMap((found) => usesOf(found, keys)));
  if (use?.verdict === 'deny') return denies(`uses ${use.content}`, use.path);
  return use === undefined || verdict.kind === 'safe'
    ? verdict
    : { ...verdict, keyNote: keyNote(use) };
}

function usesOf({ path, real = path, kind }: FoundPath, keys: KeyPaths): readonly KeyUse[] {
  if (kind === 'key') return [{ verdict: 'deny', path, content: 'a private key' }];
  return [path, real]
    .flatMap((each) => keys.useOf(each) ?? [])
    .filter(
      (use) => use.verdict === 'deny' || (kind !== 'missing' && asksAlways(use, kind === 'folder')),
    );
}
