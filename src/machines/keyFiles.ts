import { shellText } from '../base/shellText.ts';
import { shellQuote } from '../base/text.ts';
import type { Machine } from './machine.ts';
import { pathLists } from './pathLists.ts';

const keyScript = shellText('./keyFiles.sh', import.meta.url);
const oddScript = shellText('./oddFiles.sh', import.meta.url);
/** Time limit. It is short, because an approval waits for the answer. */
const timeoutMs = 10_000;

/** Length of a list in bytes at which it is cut off. */
const maxBytes = 65_536;

/**
 * Resolves, for each folder, with the absolute paths of files below it that are named like private
 * keys or files of secrets, or contain a private key in PEM format; at most eight folders deep.
 * `undefined` for a folder with too many of them. Rejects with `MachineFailure`.
 */
export const keyFilesIn = (machine: Pick<Machine, 'query'>, folders: readonly string[]): Lists =>
  listed(machine, folders, `${keyScript}\nlist() { key_files "$@"; }`);

/**
 * Resolves, for each folder, with the absolute paths of links below it, and of files and folders
 * with blanks, quotes or backslashes in their names; also of such files, and of files with a path
 * that begins with a dash, that git tracks but that do not exist. `undefined` for a folder with too
 * many of them. Rejects with `MachineFailure`.
 */
export const oddFilesIn = (machine: Pick<Machine, 'query'>, folders: readonly string[]): Lists =>
  listed(machine, folders, `${oddScript}\nlist() { odd_files "$@"; }`);

type Lists = Promise<readonly (readonly string[] | undefined)[]>;

async function listed(
  machine: Pick<Machine, 'query'>,
  folders: readonly string[],
  script: string,
): Lists {
  if (folders.length === 0) return [];
  const calls = folders.map((folder) => `list ${shellQuote(folder)}`).join('\n');
  const lists = pathLists(await machine.query(`${script}\n${calls}`, { timeoutMs }));
  return folders.map((_folder, index) => {
    const list = lists[index];
    return Buffer.byteLength(list?.join('\0') ?? '') < maxBytes - 1_024 ? list : undefined;
  });
}
