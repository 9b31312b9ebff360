import { posix } from 'node:path';
import { shellText } from '../base/shellText.ts';
import { shellQuote } from '../base/text.ts';
import { MachineFailure, type Machine } from './machine.ts';

/** Shell code that prints `=` and the real path of `$p`, or the reason why there is none. */
export const realPathScript = shellText('./realPath.sh', import.meta.url);
/** Short, because an approval waits for the answer. */
const timeoutMs = 10_000;

/**
 * Resolves all symbolic links in an absolute path. The last parts of the path may be missing: a
 * write would create them. Rejects with `MachineFailure`.
 */
export async function realPath(machine: Pick<Machine, 'query'>, path: string): Promise<string> {
  const answer = await machine.query(`p=${shellQuote(path)}\n${realPathScript}`, { timeoutMs });
  if (answer.startsWith('=')) return posix.resolve('/', answer.slice(1));
  const why = answer.trim() || 'permission denied';
  throw new MachineFailure('denied', `Cannot resolve ${path}: ${why}. Use another path.`);
}

/**
 * Resolves with the paths with all links resolved, in one query; `undefined` for a path that cannot
 * be resolved. Rejects with `MachineFailure`.
 */
export async function realPaths(
  machine: Pick<Machine, 'query'>,
  paths: readonly string[],
): Promise<readonly (string | undefined)[]> {
  if (paths.length === 0) return [];
  const calls = paths.map((path) => `(p=${shellQuote(path)}\n${realPathScript}\n)\nprintf '\\0'`);
  const answers = (await machine.query(calls.join('\n'), { timeoutMs })).split('\0');
  return paths.map((_path, index) => {
    const answer = answers[index] ?? '';
    return answer.startsWith('=') ? posix.resolve('/', answer.slice(1)) : undefined;
  });
}
