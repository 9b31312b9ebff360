import { posix } from 'node:path';
import { shellText } from '../base/shellText.ts';
import { shellQuote } from '../base/text.ts';
import { quotedReason } from '../base/untrusted.ts';
import type { FilesOnly, PathKind } from './filesOnly.ts';
import { MachineFailure, type Machine } from './machine.ts';

/** The parts of a machine that answer questions about its paths. */
export type PathMachine = Pick<Machine, 'query' | 'filesOnly'>;

/** Shell function that prints `=` and the real path of `$p`, or the reason why there is none. */
export const realPathScript = shellText('./realPath.sh', import.meta.url);
/** Time limit. It is short, because an approval waits for the answer. */
const timeoutMs = 10_000;

/**
 * Resolves all symbolic links in an absolute path. The last parts of the path may be missing: a
 * write would create them. Rejects with `MachineFailure`.
 */
export async function realPath(machine: PathMachine, path: string): Promise<string> {
  if (machine.filesOnly) return machine.filesOnly.realPath(path);
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
  readonly kind: PathKind;
}

const kinds: Readonly<Record<string, PathKind>> = {
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
  machine: PathMachine,
  paths: readonly string[],
): Promise<readonly PathFacts[]> {
  const { filesOnly } = machine;
  if (filesOnly) return Promise.all(paths.map((path) => factsOf(filesOnly, path)));
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

async function factsOf(files: FilesOnly, path: string): Promise<PathFacts> {
  const kind = await files.kindOf(path);
  const real = await files.realPath(path).catch(() => undefined);
  return real === undefined ? { kind } : { real, kind };
}
