/**
 * The plainest way to the same bytes: what the disk and `JSON.parse` take alone, to compare with.
 * The best of three.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { timed } from './figure.ts';

const rounds = 3;

/** Milliseconds to read all files of a folder. */
export const plainReadMs = (folder: string): Promise<number> => best(() => readAll(folder));

/** Milliseconds to read a file of JSON lines and to parse each. */
export const plainParseMs = (file: string): Promise<number> =>
  best(async () => {
    for (const line of (await readFile(file, 'utf8')).split('\n'))
      if (line !== '') JSON.parse(line);
  });

async function best(work: () => Promise<unknown>): Promise<number> {
  const timesMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) timesMs.push(await timed(work));
  return Math.min(...timesMs);
}

async function readAll(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) await readFile(join(entry.parentPath, entry.name));
}
