/** Finds the files of an upload that contain secrets, so that they are not sent. */
import { ToolFailure } from '../../base/errors.ts';
import { shellText } from '../../base/shellText.ts';
import { shellQuote } from '../../base/text.ts';
import { looksSecretByName, secretPatterns } from '../../experiments/git/leaveOut.ts';
import { MachineFailure, type Machine } from '../../machines/machine.ts';
import type { ToolResult } from '../tool.ts';

const script = shellText('./secretFiles.sh', import.meta.url);
const timeoutMs = 5 * 60_000;
const maxNamed = 40;

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
  const found = filesIn(await searched(machine, path));
  const isFolder = (await machine.stat(path))?.isDirectory === true;
  const [first] = found;
  if (!isFolder && first !== undefined)
    throw new ToolFailure(
      `Not sent: ${path} ${first.why}. Secrets stay where they are: ask the user to copy it, or give the program its secret in another way.`,
    );
  return found;
}

async function searched(machine: Machine, path: string): Promise<string> {
  const variables = `p=${shellQuote(path)}\npatterns=${shellQuote(secretPatterns.join('\n'))}`;
  try {
    return await machine.query(`(set --\n${variables}\n${script})`, { timeoutMs });
  } catch (error) {
    if (!(error instanceof MachineFailure)) throw error;
    throw new ToolFailure(
      `Not sent: ${path} could not be searched for secrets: ${error.message}${error.reason === 'timeout' ? ' Send smaller folders.' : ''}`,
      { cause: error },
    );
  }
}

function filesIn(answer: string): readonly SecretFile[] {
  const files = new Map<string, string>();
  for (const line of answer.split('\n')) {
    const path = line.slice(1).replace(/^\.\//, '');
    if (line.startsWith('c')) files.set(path, 'seems to contain a secret');
    if (line.startsWith('n') && looksSecretByName(path))
      files.set(path, 'has the name of a secret');
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
