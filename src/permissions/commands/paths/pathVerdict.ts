/** Combines the verdict on a command with the rules on the paths in it. */
import { pathNote, strictest, type PathRules, type PathUse } from '../../pathRules.ts';
import { denies, type Verdict } from '../verdicts/verdict.ts';

/** A path in a command. */
export interface CommandPath {
  /** Absolute path as the command names it. */
  readonly path: string;
  /** The path with links resolved; omitted if it is not known. */
  readonly real?: string;
  /** `key`: a file that begins like a private key. Omitted if it is not known. */
  readonly kind?: 'missing' | 'folder' | 'file' | 'key';
}

/**
 * Returns the verdict, with a note or denial if one of the paths leads to a key. A file that does
 * not exist can hold no password, but a path that shows a private key by its name is denied in any
 * case. A folder named `.env`, such as a virtual environment, is not treated as a file of
 * passwords.
 */
export function pathVerdict(
  verdict: Verdict,
  paths: readonly CommandPath[],
  rules: PathRules,
): Verdict {
  if (verdict.kind === 'deny') return verdict;
  const use = strictest(paths.flatMap((found) => usesOf(found, rules)));
  if (use?.verdict === 'deny') return denies(`uses ${use.content}`, use.path);
  if (use === undefined || verdict.kind === 'safe') return verdict;
  const notes = [verdict.pathNote ?? [], pathNote(use)].flat();
  return { ...verdict, pathNote: notes.join('. ') };
}

function usesOf({ path, real = path, kind }: CommandPath, rules: PathRules): readonly PathUse[] {
  if (kind === 'key') {
    const content = 'a private key';
    return [{ verdict: 'deny', action: 'read', path, content, isOfFile: true }];
  }
  return [path, real]
    .flatMap((each) => rules.useOf(each, 'read', 'commands') ?? [])
    .filter(
      ({ verdict, isOfFile }) =>
        verdict === 'deny' || (kind !== 'missing' && !(isOfFile && kind === 'folder')),
    );
}
