/**
 * Finds tracked files that differ from the index, and reads the content of files from the index.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { shellText } from '../../base/shellText.ts';
import type { Machine } from '../../machines/machine.ts';
import { GitFailure, heliosFolder, runGit, scriptStart } from './gitScript.ts';
import { rawEntries } from './survey.ts';

export interface Checkout {
  readonly machine: Machine;
  /** Absolute path of a folder in the worktree. */
  readonly folder: string;
  readonly clock: Clock;
}

export interface TrackedChanges {
  /** Absolute path of the root of the worktree. */
  readonly top: string;
  /** Absolute paths of the tracked files that differ from the index, including removed files. */
  readonly paths: readonly string[];
  /**
   * Absolute path of a folder with a copy of the index, which the caller removes; empty if no copy
   * was made.
   */
  readonly index: string;
}

/** A file with the content that a checkout of the index would write. */
export interface IndexedFile {
  readonly content: Uint8Array;
  readonly isExecutable: boolean;
}

/** Time limit for git. In a repository that needs more time, changes by commands are not found. */
const timeoutMs = 10_000;

const changesScript = `${scriptStart}${shellText('./trackedChanges.sh', import.meta.url)}`;
const contentsScript = `${scriptStart}${shellText('./indexContents.sh', import.meta.url)}`;

/**
 * Resolves with the changed files; with `undefined` if the folder is in no worktree. Rejects with
 * `GitFailure`.
 */
export async function trackedChanges(
  checkout: Checkout,
  copy: 'keep' | 'none',
): Promise<TrackedChanges | undefined> {
  try {
    const text = await run(checkout, changesScript, [copy]);
    const [top = '', index = '', ...fields] = text.split('\0').slice(0, -1);
    const folder = utf8(top);
    return {
      top: folder,
      index: utf8(index),
      paths: rawEntries(fields).map(({ path }) => checkout.machine.path.join(folder, utf8(path))),
    };
  } catch (error) {
    const none = ['no_git', 'no_folder', 'no_repository', 'bare', 'ignored'];
    if (error instanceof GitFailure && none.includes(error.reason)) return undefined;
    throw error;
  }
}

/**
 * Resolves with the content of files in the copy of the index, by absolute path. Omits files with a
 * filter, such as LFS files. Rejects with `GitFailure`.
 */
export async function indexedFiles(
  checkout: Checkout,
  { top, index }: TrackedChanges,
  paths: readonly string[],
): Promise<ReadonlyMap<string, IndexedFile>> {
  const { relative, join } = checkout.machine.path;
  const names = paths.map((path) => relative(top, path)).filter((name) => !/\n/.test(name));
  const text = await run(checkout, contentsScript, [names.join('\n'), index]);
  const found = new Map<string, IndexedFile>();
  for (let at = 0; at < text.length;) {
    const [name = '', mode = '', size = ''] = text.slice(at).split('\0', 3);
    at += name.length + mode.length + size.length + 3;
    const content = Buffer.from(text.slice(at, at + Number(size)), 'latin1');
    at += Number(size);
    found.set(join(top, utf8(name)), { content, isExecutable: mode === '100755' });
  }
  return found;
}

const run = (
  { machine, folder, clock }: Checkout,
  script: string,
  args: readonly string[],
): Promise<string> =>
  runGit({
    machine,
    script,
    args: [folder, heliosFolder(machine), randomBytes(12).toString('hex'), ...args],
    clock,
    timeoutMs,
  });

const utf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');
