/** The model provider that last answered in the terminal, in the home folder of Helios. */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { writeFileAtomic } from '../storage/atomicFile.ts';
import { homeAt } from '../storage/home.ts';

const fileSchema = z.looseObject({ version: z.literal(1), provider: z.string().min(1) });

/** Resolves with the id of the provider; `undefined` if the file is missing or damaged. */
export async function readLastProvider(home: string): Promise<string | undefined> {
  try {
    const text = await readFile(homeAt(home).lastProviderFile, 'utf8');
    return fileSchema.parse(JSON.parse(text)).provider;
  } catch {
    return undefined;
  }
}

/** Replaces the file, which only the user can read. Rejects with `StorageFailure`. */
export const writeLastProvider = (home: string, provider: string): Promise<void> =>
  writeFileAtomic(
    homeAt(home).lastProviderFile,
    `${JSON.stringify({ version: 1, provider })}\n`,
    0o600,
  );
