/**
 * Reads the build context of a Dockerfile: its files, and a hash that changes with any of the
 * files.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import path, { basename, dirname, join, type PlatformPath } from 'node:path';
import { codeOf } from '../../base/errors.ts';
import { readRegularText } from '../../base/regularFile.ts';
import { MachineFailure } from '../machine.ts';
import { ignoring } from './dockerignore.ts';

export interface BuildContext {
  readonly folder: string;
  /** Path of the Dockerfile, relative to `folder`. */
  readonly dockerfile: string;
  /** Sorted paths relative to `folder`, without the files that `.dockerignore` excludes. */
  readonly files: readonly string[];
  /** Hash of the names, modes and contents of the files. */
  readonly hash: string;
}

/**
 * Reads a build context; both paths are absolute. Rejects with `MachineFailure` when the Dockerfile
 * is missing or outside the folder.
 */
export async function readBuildContext(
  dockerfile: string,
  folder = dirname(dockerfile),
): Promise<BuildContext> {
  const name = nameIn(folder, dockerfile);
  if (name.startsWith('..') || path.isAbsolute(name))
    throw new MachineFailure(
      'unreachable',
      `The Dockerfile ${dockerfile} is not inside its build context ${folder}.`,
    );
  const isIgnored = ignoring(await textIfThere(join(folder, '.dockerignore')));
  const needed = [name, '.dockerignore'];
  const files = await filesBelow(folder, (file) => !needed.includes(file) && isIgnored(file));
  if (!files.includes(name))
    throw new MachineFailure(
      'unreachable',
      `The Dockerfile ${dockerfile} does not exist. Create it, or correct its path.`,
    );
  const hash = createHash('sha256').update(name);
  for (const file of files) await addFile(join(folder, file), hash.update(`\0${file}\0`));
  return { folder, dockerfile: name, files, hash: hash.digest('hex').slice(0, 12) };
}

/** Returns the name of a file in a build context, with slashes on every platform. */
export const nameIn = (folder: string, file: string, paths: PlatformPath = path): string =>
  paths.relative(folder, file).replaceAll(paths.sep, '/');

async function addFile(path: string, hash: ReturnType<typeof createHash>): Promise<void> {
  const { mode, size } = await lstat(path);
  hash.update(`${mode & 0o777} ${size}\0`);
  if ((mode & 0o170000) === 0o120000) hash.update(await readlink(path));
  else for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
}

async function filesBelow(folder: string, isIgnored: (path: string) => boolean): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT')
        throw new MachineFailure(
          'unreachable',
          `The build context ${folder} does not exist. Create it, or correct its path.`,
          { cause: error },
        );
      throw error;
    },
  );
  return entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => nameIn(folder, join(entry.parentPath, entry.name)))
    .filter((name) => !isIgnored(name))
    .sort();
}

async function textIfThere(path: string): Promise<string> {
  return readRegularText(path).catch(() => '');
}

/**
 * Returns the image tag, such as `helios-lab:3f2a…`. The tag changes with the context, so a change
 * causes a new build.
 */
export const tagOf = (id: string, { hash }: BuildContext): string =>
  `helios-${basename(id)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')}:${hash}`;
