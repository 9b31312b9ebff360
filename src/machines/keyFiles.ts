import { shellText } from '../base/shellText.ts';
import { shellQuote } from '../base/text.ts';
import type { Machine } from './machine.ts';
import { pathLists } from './pathLists.ts';

const script = shellText('./keyFiles.sh', import.meta.url);
/** Time limit. It is short, because an approval waits for the answer. */
const timeoutMs = 10_000;

/** Length of a list in bytes at which it is cut off. */
const maxBytes = 65_536;

/**
 * Resolves, for each folder, with the absolute paths of files below it that are named like private
 * keys or files of secrets, or contain a private key in PEM format; at most eight folders deep.
 * `undefined` for a folder with too many of them. Rejects with `MachineFailure`.
 */
export async function keyFilesIn(
  machine: Pick<Machine, 'query'>,
  folders: readonly string[],
): Promise<readonly (readonly string[] | undefined)[]> {
  if (folders.length === 0) return [];
  const calls = folders.map((folder) => `key_files ${shellQuote(folder)}`).join('\n');
  const lists = pathLists(await machine.query(`${script}\n${calls}`, { timeoutMs }));
  return folders.map((_folder, index) => {
    const list = lists[index];
    return Buffer.byteLength(list?.join('\0') ?? '') < maxBytes - 1_024 ? list : undefined;
  });
}
