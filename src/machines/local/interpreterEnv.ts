import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Environment } from '../../base/childEnvironment.ts';

/**
 * Returns the variables with which commands find the Python interpreter `python` (absolute path)
 * first, as after the activation of its environment. Empty if it does not exist.
 */
export function interpreterEnv(
  python: string | undefined,
  { PATH: path = '' }: Environment,
): Record<string, string> {
  if (python === undefined || !existsSync(python)) return {};
  const bin = dirname(python);
  const environment = dirname(bin);
  return {
    PATH: path === '' ? bin : `${bin}${delimiter}${path}`,
    ...(existsSync(join(environment, 'pyvenv.cfg')) && { VIRTUAL_ENV: environment }),
    ...(existsSync(join(environment, 'conda-meta')) && { CONDA_PREFIX: environment }),
  };
}
