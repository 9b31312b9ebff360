/** Builds the script that a job runs on its node: the prologue, then the command of its element. */
import { shellText } from '../../base/shellText.ts';
import { shellQuote } from '../../base/text.ts';
import { preambleOf } from '../environment/preamble.ts';
import type { JobElement } from '../machine.ts';
import type { SlurmEntry } from '../machineEntry.ts';

export interface BatchJob {
  readonly elements: readonly JobElement[];
  /** Absolute path of the folder that contains the folders of the elements. */
  readonly runsFolder: string;
}

/**
 * Returns the signal that tells the batch script to run requested scripts (orders, see
 * `SlurmScheduler.onNode`). Differs from the signal of the entry's `warning`.
 */
export const orderSignal = ({ warning }: Pick<SlurmEntry, 'warning'>): string =>
  warning?.signal === 'USR1' ? 'USR2' : 'USR1';

export function batchScript(job: BatchJob, entry: SlurmEntry): string {
  const { prologue = [] } = entry;
  return [
    '#!/bin/bash -l',
    // All variables have the prefix `helios_`, because the prologue may set any other variable.
    elementCase(job, ({ name, cwd }) => [
      `readonly helios_folder=${shellQuote(`${job.runsFolder}/${name}`)} helios_cwd=${shellQuote(cwd)}`,
    ]),
    before,
    trapLines(job, entry),
    // Before the prologue, which may use the variables.
    elementCase(job, ({ env }) =>
      Object.entries(env).map(([name, value]) => `export ${name}=${shellQuote(value)}`),
    ),
    preambleOf(entry, prologue, ''),
    'cd -- "$helios_cwd" || exit 1',
    elementCase(job, ({ argv, renewArgv }) => [
      `[ "\${SLURM_RESTART_COUNT:-0}" = 0 ] || ${words(renewArgv)}`,
      `set -- ${words(argv)}`,
    ]),
    after,
  ].join('\n');
}

const before = shellText('./batchStart.sh', import.meta.url);

/**
 * Shell lines that run the command in the background, so that the script can handle signals before
 * the command ends. The lines enable job control, because background commands otherwise ignore INT
 * and QUIT.
 */
const after = shellText('./batchCommand.sh', import.meta.url);

/**
 * Returns the traps of the batch script: for orders, for the warning signal, which is forwarded to
 * the command, and for TERM. On TERM, the script does nothing and keeps waiting: when a job is
 * cancelled, the command itself also receives TERM.
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

/** Returns a `case` statement with separate lines for each element of the job. */
function elementCase(
  { elements }: BatchJob,
  lines: (element: JobElement) => readonly string[],
): string {
  const cases = elements.map((element, index) => `${index})\n${lines(element).join('\n')}\n;;`);
  return ['case ${SLURM_ARRAY_TASK_ID:-0} in', ...cases, 'esac'].join('\n');
}

const words = (argv: readonly string[]): string => argv.map((word) => shellQuote(word)).join(' ');
