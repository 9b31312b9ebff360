import { posix } from 'node:path';
import { shellText } from '../base/shellText.ts';
import { shellQuote } from '../base/text.ts';
import { MachineFailure, type Machine } from './machine.ts';

const script = shellText('./realPath.sh', import.meta.url);
/** Short, because an approval waits for the answer. */
const timeoutMs = 10_000;

/**
 * Resolves all symbolic links in an absolute path. The last parts of the path may be missing: a
 * write would create them. Rejects with `MachineFailure`.
 */
export async function realPath(machine: Pick<Machine, 'query'>, path: string): Promise<string> {
  const answer = await machine.query(`p=${shellQuote(path)}\n${script}`, { timeoutMs });
  if (answer.startsWith('=')) return posix.resolve('/', answer.slice(1));
  const why = answer.trim() || 'permission denied';
  throw new MachineFailure('denied', `Cannot resolve ${path}: ${why}. Use another path.`);
}
