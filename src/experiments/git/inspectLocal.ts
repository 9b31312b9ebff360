/** Inspects new and changed files on this computer without starting programs. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../base/errors.ts';
import { readRegularBytes } from '../../base/regularFile.ts';
import { looksSecret } from './leaveOut.ts';
import type { Inspected } from './survey.ts';

/** Limits, because the content is searched in the process that also serves the user. */
const maxFiles = 20;
const maxFileBytes = 256 * 1024;

/**
 * Resolves with the same as `inspectPart` about files of the worktree `top`; with `undefined` for
 * many or large files, names that are not UTF-8, and files that change meanwhile.
 */
export async function inspectLocal(
  top: string,
  names: readonly string[],
): Promise<Inspected | undefined> {
  if (names.length > maxFiles) return undefined;
  const seen = {
    sizes: new Map<string, number>(),
    special: new Set<string>(),
    unreadable: new Set<string>(),
    secret: new Set<string>(),
  };
  try {
    for (const name of names) await inspect(top, name, seen);
    return seen;
  } catch {
    return undefined;
  }
}

interface Seen {
  readonly sizes: Map<string, number>;
  readonly special: Set<string>;
  readonly unreadable: Set<string>;
  readonly secret: Set<string>;
}

async function inspect(top: string, name: string, seen: Seen): Promise<void> {
  const file = join(
    top,
    new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(name, 'latin1')),
  );
  const stats = await statsOf(file);
  if (stats === undefined || stats.isDirectory()) return;
  if (!stats.isFile() && !stats.isSymbolicLink()) {
    seen.special.add(name);
    return;
  }
  seen.sizes.set(name, stats.size);
  if (stats.isSymbolicLink()) return;
  const content = await readable(file);
  if (content === undefined) seen.unreadable.add(name);
  else if (looksSecret(name, Buffer.from(content).toString('latin1'))) seen.secret.add(name);
}

/** Resolves with `undefined` if there is no such file. */
const statsOf = (file: string) =>
  lstat(file).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  });

/** Resolves with `undefined` if the user may not read the file. */
const readable = (file: string): Promise<Uint8Array | undefined> =>
  readRegularBytes(file, maxFileBytes).catch((error: unknown) => {
    if (codeOf(error) === 'EACCES') return undefined;
    throw error;
  });
