/** Finds the files of an upload that contain secrets, so that they are not sent. */
import { ToolFailure } from '../../base/errors.ts';
import { shellText } from '../../base/shellText.ts';
import { shellQuote } from '../../base/text.ts';
import { looksSecret, looksSecretByName, secretPatterns } from '../../experiments/git/leaveOut.ts';
import type { FilesOnly } from '../../machines/filesOnly.ts';
import { MachineFailure, type Machine } from '../../machines/machine.ts';
import type { ToolResult } from '../tool.ts';

const script = shellText('./secretFiles.sh', import.meta.url);
const timeoutMs = 5 * 60_000;
const maxNamed = 40;
/** Names of data files, which are not searched. The script has the same. */
const dataNames = /\.(?:jpe?g|png|npy|npz|pt|bin|parquet|wav|flac|tfrecord|safetensors)$/i;
/** Size of the largest file that is searched. The script has the same. */
const maxSearchedBytes = 4_095 * 512;
const secretName = 'has the name of a secret';
const secretContent = 'seems to contain a secret';

/** A file that contains a secret. The path is relative to the folder of the upload. */
export interface SecretFile {
  readonly path: string;
  readonly why: string;
}

/**
 * Resolves with the files that contain secrets. Rejects with `ToolFailure` if `path` is such a
 * file, or if the files cannot be searched.
 */
export async function secretFiles(machine: Machine, path: string): Promise<readonly SecretFile[]> {
  const found = await searched(machine, path);
  const isFolder = (await machine.stat(path))?.isDirectory === true;
  const [first] = found;
  if (!isFolder && first !== undefined)
    throw new ToolFailure(
      `Not sent: ${path} ${first.why}. Secrets stay where they are: ask the user to copy it, or give the program its secret in another way.`,
    );
  return found;
}

async function searched(machine: Machine, path: string): Promise<readonly SecretFile[]> {
  const variables = `p=${shellQuote(path)}\npatterns=${shellQuote(secretPatterns.join('\n'))}`;
  try {
    if (machine.filesOnly) return await readFiles(machine, machine.filesOnly, path);
    return filesIn(await machine.query(`(set --\n${variables}\n${script})`, { timeoutMs }));
  } catch (error) {
    if (!(error instanceof MachineFailure)) throw error;
    throw new ToolFailure(
      `Not sent: ${path} could not be searched for secrets: ${error.message}${error.reason === 'timeout' ? ' Send smaller folders.' : ''}`,
      { cause: error },
    );
  }
}

/** Searches as the script does, on a machine where no command can run. */
async function readFiles(
  machine: Machine,
  files: FilesOnly,
  path: string,
): Promise<readonly SecretFile[]> {
  const isFolder = (await files.kindOf(path)) === 'folder';
  const folder = isFolder ? path : machine.path.dirname(path);
  const names = isFolder ? namesBelow(machine, files, folder) : [machine.path.basename(path)];
  const found: SecretFile[] = [];
  for await (const name of names) {
    const why = await whySecret(machine, machine.path.join(folder, name));
    if (why !== undefined) found.push({ path: name, why });
  }
  return found;
}

/** Yields the files below a folder, with slashes in their names. Does not follow links to folders. */
async function* namesBelow(
  machine: Machine,
  files: FilesOnly,
  folder: string,
): AsyncGenerator<string> {
  for (const name of await files.namesIn(folder)) {
    if (/^\.git\/?$/i.test(name)) continue;
    if (!name.endsWith('/')) yield name;
    else
      for await (const below of namesBelow(machine, files, machine.path.join(folder, name)))
        yield name + below;
  }
}

async function whySecret(machine: Machine, file: string): Promise<string | undefined> {
  const name = machine.path.basename(file);
  const found = await machine.stat(file);
  // A link to a folder, or to nothing.
  if (found === undefined || found.isDirectory) return undefined;
  if (found.sizeBytes <= maxSearchedBytes && !dataNames.test(name)) {
    const content = Buffer.from(await machine.readFile(file)).toString('latin1');
    if (looksSecret('', content)) return secretContent;
  }
  return looksSecretByName(name) ? secretName : undefined;
}

function filesIn(answer: string): readonly SecretFile[] {
  const files = new Map<string, string>();
  for (const line of answer.split('\n')) {
    const path = line.slice(1).replace(/^\.\//, '');
    if (line.startsWith('c')) files.set(path, secretContent);
    if (line.startsWith('n') && looksSecretByName(path)) files.set(path, secretName);
  }
  return [...files].map(([path, why]) => ({ path, why }));
}

/** Returns the patterns, as in `.gitignore`, that exclude exactly these files. */
export const exclusionsOf = (files: readonly SecretFile[]): readonly string[] =>
  files.map(({ path }) => `/${path.replace(/[\\*?[\]!# ]/g, '\\$&')}`);

/** Returns the result with the files that were not sent, and why. */
export function withSecretFiles(result: ToolResult, files: readonly SecretFile[]): ToolResult {
  if (files.length === 0 || typeof result.content === 'string') return result;
  const named = files.slice(0, maxNamed).map(({ path, why }) => `${path} ${why}`);
  const more = files.length - named.length;
  const notSent = more > 0 ? [...named, `… and ${more} more`] : named;
  return {
    ...result,
    content: { ...result.content, secrets_not_sent: notSent },
    origins: { ...result.origins, secrets_not_sent: 'names of files' },
  };
}
