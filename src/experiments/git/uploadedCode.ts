/** Reads and changes trees of uploaded code, and compares them with the files on a machine. */
import type { Clock } from '../../base/clock.ts';
import { shellText } from '../../base/shellText.ts';
import type { Machine } from '../../machines/machine.ts';
import { runGit, scriptStart } from './gitScript.ts';
import { quoteName } from './quotedNames.ts';

/** A repository on this computer, by the root of a worktree. */
export interface CodeRepository {
  readonly machine: Machine;
  readonly repo: string;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

export interface TreeEntry {
  readonly mode: string;
  readonly hash: string;
}

/** The mode that git writes for a removed entry. */
const removed = '0';

const treeScript = `${scriptStart}${shellText('./listTree.sh', import.meta.url)}`;
const blobScript = `${scriptStart}${shellText('./storeBlob.sh', import.meta.url)}`;
const overlayScript = `${scriptStart}${shellText('./overlay.sh', import.meta.url)}`;
const initScript = `${scriptStart}cd -- "$1" || exit 82\n[ -d .git ] || g init -q`;
const hashScript = shellText('./hashFiles.sh', import.meta.url);

/** Resolves with the regular files of a commit at a path: name → entry. Rejects with `GitFailure`. */
export async function filesIn(
  place: CodeRepository,
  commit: string,
  path: string,
): Promise<ReadonlyMap<string, TreeEntry>> {
  const args = [place.repo, commit, path];
  const text = await runGit({ ...place, script: treeScript, args });
  const entries = text.split('\0').flatMap((line): [string, TreeEntry][] => {
    const [facts = '', ...name] = line.split('\t');
    const [mode = '', , hash = ''] = facts.split(' ');
    return /^100/.test(mode) ? [[utf8(name.join('\t')), { mode, hash }]] : [];
  });
  return new Map(entries);
}

/** Makes the folder a repository, if it is none. Rejects with `GitFailure`. */
export const initRepository = async (place: CodeRepository): Promise<void> => {
  await runGit({ ...place, script: initScript, args: [place.repo] });
};

/** Stores the content of a file; resolves with its hash. Rejects with `GitFailure`. */
export const storeBlob = async (place: CodeRepository, stdin: Uint8Array): Promise<string> =>
  (await runGit({ ...place, script: blobScript, args: [place.repo], stdin })).trim();

export interface Overlay {
  readonly commit: string;
  /** Name of the ref that gets the result. If empty, no commit is made. */
  readonly ref: string;
  readonly message: string;
  /** Files that differ from `commit`: name → entry, `undefined` for a removed file. */
  readonly files: ReadonlyMap<string, TreeEntry | undefined>;
}

export interface Overlaid {
  readonly tree: string;
  /** The tree of the commit that was checked out at the upload. */
  readonly headTree: string;
  readonly commit: string;
}

/** Stores a commit with other files. Rejects with `GitFailure`. */
export async function overlayFiles(
  place: CodeRepository,
  { commit: base, ref, message, files }: Overlay,
): Promise<Overlaid> {
  const lines = [...files].map(([name, entry]) => {
    const { mode, hash } = entry ?? { mode: removed, hash: '0'.repeat(base.length) };
    return `${mode} ${hash}\t${quoteName(Buffer.from(name).toString('latin1'))}\n`;
  });
  const text = await runGit({
    ...place,
    script: overlayScript,
    args: [place.repo, base, ref, message],
    stdin: Buffer.from(lines.join(''), 'latin1'),
  });
  const [tree = '', headTree = '', commit = ''] = text.split('\0');
  return { tree, headTree, commit };
}

/**
 * Resolves with the hashes of the files that exist on the machine: absolute path → hash, as git
 * computes it. The machine needs no git. Rejects with `GitFailure`.
 */
export async function hashesOn(
  place: Omit<CodeRepository, 'repo'>,
  paths: readonly string[],
  hashLength: number,
): Promise<ReadonlyMap<string, string>> {
  const listed = paths.filter((path) => !/\p{Cc}/u.test(path));
  if (listed.length === 0) return new Map();
  const text = await runGit({
    ...place,
    script: hashScript,
    args: [String(hashLength)],
    stdin: Buffer.from(listed.map((path) => `${path}\n`).join('')),
  });
  const [names = '', sums = ''] = text.split('\n\n');
  const found = names.split('\n').map(utf8);
  const hashes = sums.trim().split('\n').slice(-found.length);
  return new Map(found.map((path, index) => [path, hashes[index] ?? '']));
}

const utf8 = (text: string): string => Buffer.from(text, 'latin1').toString();
