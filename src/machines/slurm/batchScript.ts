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
 * Returns the signal that announces orders to the batch script alone. Differs from the warning's
 * signal.
 */
export const orderSignal = ({ warning }: Pick<SlurmEntry, 'warning'>): string =>
  warning?.signal === 'USR1' ? 'USR2' : 'USR1';

export function batchScript(job: BatchJob, entry: SlurmEntry): string {
  return [
    '#!/bin/bash -l',
    // Prefixed names: a prologue may set any other.
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
 * Runs the command with job control, as background commands otherwise ignore INT and QUIT. Runs it
 * in the background, as the script would otherwise handle signals only after the command's end.
 */
const after = shellText('./batchCommand.sh', import.meta.url);

/**
 * Returns the traps of the batch script. Cancelling a job sends TERM to all its processes, so the
 * command gets it directly; the script ignores it and waits for the end.
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
