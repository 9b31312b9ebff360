import { posix } from 'node:path';
import { shellText } from '../base/shellText.ts';
import { shellQuote } from '../base/text.ts';
import { quotedReason } from '../base/untrusted.ts';
import { MachineFailure, type Machine } from './machine.ts';

/** Shell function that prints `=` and the real path of `$p`, or the reason why there is none. */
export const realPathScript = shellText('./realPath.sh', import.meta.url);
/** Time limit. It is short, because an approval waits for the answer. */
const timeoutMs = 10_000;

/**
 * Resolves all symbolic links in an absolute path. The last parts of the path may be missing: a
 * write would create them. Rejects with `MachineFailure`.
 */
export async function realPath(machine: Pick<Machine, 'query'>, path: string): Promise<string> {
  const answer = await machine.query(`${realPathScript}\np=${shellQuote(path)}\nreal_path`, {
    timeoutMs,
  });
  if (answer.startsWith('=')) return posix.resolve('/', answer.slice(1));
  const why = quotedReason(answer, 'the machine', 'permission denied');
  throw new MachineFailure('denied', `Cannot resolve ${path}: ${why}. Use another path.`);
}

/** A path on a machine, with all links resolved. */
export interface PathFacts {
  /** Omitted if the path cannot be resolved. */
  readonly real?: string;
  /** `key`: a file that begins like a private key. */
  readonly kind: 'missing' | 'folder' | 'file' | 'key';
}

const kinds: Readonly<Record<string, PathFacts['kind']>> = {
  '/': 'folder',
  '=': 'file',
  '!': 'key',
};

/** Shell function that prints the sign of the kind of a path. */
const kindScript = shellText('./pathKind.sh', import.meta.url);

/**
 * Resolves with the real path and the kind of each path, in one query. Rejects with
 * `MachineFailure`.
 */
export async function pathFacts(
  machine: Pick<Machine, 'query'>,
  paths: readonly string[],
): Promise<readonly PathFacts[]> {
  if (paths.length === 0) return [];
  const calls = paths.map((path) => {
    const quoted = shellQuote(path);
    return `p=${quoted}\nreal_path\nprintf '\\0'\npath_kind ${quoted}\nprintf '\\0'`;
  });
  const answer = await machine.query([realPathScript, kindScript, ...calls].join('\n'), {
    timeoutMs,
  });
  const answers = answer.split('\0');
  return paths.map((_path, index) => {
    const [real = '', sign = ''] = answers.slice(2 * index, 2 * index + 2);
    const kind = kinds[sign] ?? 'missing';
    return real.startsWith('=') ? { real: posix.resolve('/', real.slice(1)), kind } : { kind };
  });
}
