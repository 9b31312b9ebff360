import { randomBytes } from 'node:crypto';
import { link, writeFile } from 'node:fs/promises';
import { removeFile } from '../base/heldFiles.ts';
import { readSecretFile } from './secretFiles.ts';

/**
 * Resolves with the key for the labels of secrets. Creates the file if it is missing. If it can
 * be neither read nor created, resolves with a key that is only used by this process.
 */
export async function labelKey(file: string): Promise<Uint8Array> {
  try {
    return (await keyIn(file)) ?? (await created(file));
  } catch {
    return randomBytes(32);
  }
}

async function keyIn(file: string): Promise<Uint8Array | undefined> {
  const text = await readSecretFile(file);
  return text !== undefined && /^[a-f\d]{64}$/.test(text) ? Buffer.from(text, 'hex') : undefined;
}

/** Creates the file atomically, and only if no other process has created it meanwhile. */
async function created(file: string): Promise<Uint8Array> {
  const key = randomBytes(32);
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  await writeFile(temporary, key.toString('hex'), { flag: 'wx', mode: 0o600 });
  try {
    await link(temporary, file);
    return key;
  } catch (error) {
    const other = await keyIn(file);
    if (other === undefined) throw error;
    return other;
  } finally {
    await removeFile(temporary);
  }
}
