import { shellText } from '../base/shellText.ts';
import { shellQuote } from '../base/text.ts';
import type { Machine } from './machine.ts';

const script = shellText('./keyFiles.sh', import.meta.url);
/** Time limit. It is short, because an approval waits for the answer. */
const timeoutMs = 10_000;

/**
 * Resolves with the absolute paths of files below each folder that are named like private keys, or
 * contain a private key in PEM format; at most eight folders deep, and at most 20 paths. Rejects
 * with `MachineFailure`.
 */
export async function keyFilesIn(
  machine: Pick<Machine, 'query'>,
  folders: readonly string[],
): Promise<readonly (readonly string[])[]> {
  if (folders.length === 0) return [];
  const calls = folders.map((folder) => `key_files ${shellQuote(folder)}`).join('\n');
  const answer = await machine.query(`${script}\n${calls}`, { timeoutMs });
  return answer
    .split('\0')
    .slice(0, folders.length)
    .map((part) => part.split('\n').slice(0, -1));
}
