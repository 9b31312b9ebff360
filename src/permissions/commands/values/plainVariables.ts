import type { ShellWord } from '../../../shell/shellCommand.ts';

/** Variables whose values are names, numbers and folders, never secrets. */
const names =
  'USER LOGNAME HOSTNAME HOME PWD SHELL CUDA_VISIBLE_DEVICES OMP_NUM_THREADS CONDA_DEFAULT_ENV ' +
  'CONDA_PREFIX VIRTUAL_ENV PATH LD_LIBRARY_PATH PYTHONPATH CUDA_HOME CUDA_PATH HF_HOME TMPDIR ' +
  'LANG TERM SLURM_JOB_ID SLURM_JOB_NAME SLURM_ARRAY_TASK_ID SLURM_NODELIST';
const all: ReadonlySet<string> = new Set(names.split(' '));

/** Returns true for a variable whose value is never a secret. */
export const isPlainName = (name: string): boolean => all.has(name);

const pattern = new RegExp(
  `^\\$(?:(${names.replaceAll(' ', '|')})|\\{(${names.replaceAll(' ', '|')})\\})$`,
);

/**
 * Returns the name of the variable that is the whole word, such as `$USER`; `undefined` for other
 * words and for variables that may hold a secret.
 */
export function plainVariable({ spelled, isDynamic }: ShellWord): string | undefined {
  const [, bare, inBraces] = (isDynamic && pattern.exec(spelled.replace(/^"(.*)"$/, '$1'))) || [];
  return bare ?? inBraces;
}
