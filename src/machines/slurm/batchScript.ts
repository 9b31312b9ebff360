/** Builds the script that a job runs on its node: the prologue, then the command of its element. */
import { shellText } from '../../base/shellText.ts';
import { shellQuote } from '../../base/text.ts';
import type { JobElement } from '../machine.ts';
import type { SlurmEntry } from '../machineEntry.ts';

export interface BatchJob {
  readonly elements: readonly JobElement[];
  /** Absolute; holds the folder of each job under the job's name. */
  readonly runsFolder: string;
}

/**
 * Returns the signal that tells the batch script to run requested scripts (orders). Differs from
 * the signal of the warning.
 */
export const orderSignal = ({ warning }: Pick<SlurmEntry, 'warning'>): string =>
  warning?.signal === 'USR1' ? 'USR2' : 'USR1';

export function batchScript(job: BatchJob, entry: SlurmEntry): string {
  return [
    '#!/bin/bash -l',
    // The names have a prefix, because the prologue may set any other variable.
    elementCase(job, ({ name, cwd }) => [
      `readonly helios_folder=${shellQuote(`${job.runsFolder}/${name}`)} helios_cwd=${shellQuote(cwd)}`,
    ]),
    before,
    trapLines(job, entry),
    ...(entry.prologue ?? []).map(
      (step) => `helios_step=${shellQuote(step)}\neval "$helios_step" || helios_fail "$?"`,
    ),
    'cd -- "$helios_cwd" || exit 1',
    elementCase(job, ({ argv, renewArgv, env }) => [
      `[ "\${SLURM_RESTART_COUNT:-0}" = 0 ] || ${words(renewArgv)}`,
      ...Object.entries(env).map(([name, value]) => `export ${name}=${shellQuote(value)}`),
      `set -- ${words(argv)}`,
    ]),
    after,
  ].join('\n');
}

const before = shellText('./batchStart.sh', import.meta.url);

/**
 * Shell lines that run the command in the background, so that the script can handle signals before
 * the command ends. With job control, because background commands otherwise ignore INT and QUIT.
 */
const after = shellText('./batchCommand.sh', import.meta.url);

/**
 * Returns the traps of the batch script. The script ignores TERM and waits for the command:
 * cancelling a job sends TERM to all its processes, so the command gets the signal directly.
 */
function trapLines(job: BatchJob, entry: SlurmEntry): string {
  const traps = [`trap helios_orders ${orderSignal(entry)}`, 'trap : TERM'];
  const { warning } = entry;
  if (warning === undefined) return traps.join('\n');
  const forward = elementCase(job, ({ signalArgv }) => [
    `${words(signalArgv)} ${warning.signal} >/dev/null`,
  ]);
  return [`helios_warn() {\n${forward}\n}`, ...traps, `trap helios_warn ${warning.signal}`].join(
    '\n',
  );
}

/** Returns the lines that differ for each element of an array. */
function elementCase(
  { elements }: BatchJob,
  lines: (element: JobElement) => readonly string[],
): string {
  const cases = elements.map((element, index) => `${index})\n${lines(element).join('\n')}\n;;`);
  return ['case ${SLURM_ARRAY_TASK_ID:-0} in', ...cases, 'esac'].join('\n');
}

const words = (argv: readonly string[]): string => argv.map((word) => shellQuote(word)).join(' ');
