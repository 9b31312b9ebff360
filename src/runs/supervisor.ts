/**
 * The supervisor: a POSIX shell script in the folder of a run, on the machine of the run. It starts
 * the command, outlives the process that started it, and records how the command ended. Files of
 * the folder:
 *
 * - `spec.json`, `terms`, `command.sh`, `capsule.sh`: written before anything starts; `prologue.sh`
 *   too, if something must run before the command in the same shell, and `confine.sh`, which starts
 *   the command confined
 * - `claim`: created by the process that starts the run; creating it succeeds once, so a run starts
 *   at most once
 * - `capsule`: identifies the process of the supervisor, in the format of `process`
 * - `lease`: the GPUs and the slot of the run
 * - `busy`: no GPU or slot was free, so the run did not start
 * - `process`: pid, start time, boot id, start in milliseconds since the epoch, GPUs leased to the
 *   run; written before the command begins, at once, so that it is either empty or complete
 * - `output.log`: stdout and stderr of the command
 * - `hosts.log`: the hosts that a command with a list of hosts asked for; written by its proxy
 * - `heartbeat`: touched every few seconds while the supervisor is alive
 * - `metrics.py`, `metrics_from.json`: read the metrics from files; written before anything starts.
 *   `metrics.jsonl`: the metrics, one JSON object per line; `metrics.end`: a pipe whose end tells
 *   the reader that the command has ended
 * - `first_metric`: the age of the first metric in milliseconds; written by the process that reads
 *   the output
 * - `kill`: a kill was requested; `limit`: the run reached its time limit. Only the first of the
 *   two files is written
 * - `exit`: how the command ended. The file appears in one step with its whole content, after the
 *   last byte of the command's own output; if the run was killed, after the last byte of the output
 *   of all its processes
 */
import type { RunId } from '../base/ids.ts';
import { shellQuote } from '../base/text.ts';
import { confineScript } from '../machines/confinement/confine.ts';
import type { Machine } from '../machines/machine.ts';
import { readerScript } from './metricFiles/readerScript.ts';
import { supervisorScript } from './supervisorScript.ts';
import type { RunProcess, RunSpec } from './run.ts';
import { limitsFile } from './limits.ts';

export interface RunFolder {
  readonly path: string;
  readonly claim: string;
  readonly process: string;
  readonly output: string;
  readonly hosts: string;
  /** File with the metrics that were read from files. */
  readonly metrics: string;
  readonly heartbeat: string;
  readonly exit: string;
  readonly kill: string;
  readonly limit: string;
  readonly busy: string;
  readonly firstMetric: string;
  /** File that identifies the supervisor's process. */
  readonly supervisorProcess: string;
  readonly supervisorScript: string;
  /** File with the text of the scheduler's job that the command did not print, such as errors. */
  readonly batch: string;
}

/** Returns the folder of a run below the `runsFolder` of its machine. */
export function runFolder(runsFolder: string, id: RunId): RunFolder {
  const path = `${runsFolder}/${id}`;
  const file = (name: string): string => `${path}/${name}`;
  return {
    path,
    claim: file('claim'),
    process: file('process'),
    output: file('output.log'),
    hosts: file('hosts.log'),
    metrics: file('metrics.jsonl'),
    heartbeat: file('heartbeat'),
    exit: file('exit'),
    kill: file('kill'),
    limit: file('limit'),
    busy: file('busy'),
    firstMetric: file('first_metric'),
    supervisorProcess: file('capsule'),
    supervisorScript: file('capsule.sh'),
    batch: file('batch.log'),
  };
}

const runPrologue = '. "${0%/*}/prologue.sh"\n';
/** Puts the git guard first in PATH again, before folders that the prologue has added. */
const guardAgain = '[ -z "$HELIOS_GIT_GUARD" ] || . "$HELIOS_GIT_GUARD/env"\n';

type RunMachine = Pick<Machine, 'kind' | 'runsFolder' | 'share' | 'scheduler'>;

/**
 * Returns the files to write into the folder before the supervisor is started: name → text.
 * `preamble` is the shell text that runs before the command.
 */
export const supervisorFiles = (
  spec: RunSpec,
  machine: RunMachine,
  preamble = '',
): Readonly<Record<string, string>> => ({
  'spec.json': `${JSON.stringify(spec, undefined, 2)}\n`,
  terms: limitsFile(spec, machine),
  ...(preamble !== '' && { 'prologue.sh': preamble + guardAgain }),
  'command.sh': `${preamble === '' ? '' : runPrologue}${commandScript(spec.command)}`,
  'capsule.sh': supervisorScript,
  ...(spec.metrics.from && {
    'metrics.py': readerScript,
    'metrics_from.json': JSON.stringify(spec.metrics.from),
  }),
  ...(spec.confinement && { 'confine.sh': confineScript(machine, spec.confinement) }),
});

/**
 * Returns the argv that starts the supervisor and thereby the command, in the caller's working
 * directory. Running it again has no effect.
 */
export const startArgv = (folder: RunFolder): readonly string[] => [
  '/bin/sh',
  folder.supervisorScript,
  'start',
];

/**
 * Returns the command that signals every process of the run. The caller appends the name of the
 * signal.
 */
export const signalArgv = (folder: RunFolder): readonly string[] => [
  '/bin/sh',
  folder.supervisorScript,
  'signal',
];

/**
 * Returns the argv that prepares a requeued run for a new start by removing the files of the former
 * start. The output and the mark of a requested kill stay.
 */
export const renewArgv = ({
  claim,
  process,
  supervisorProcess,
  exit,
  heartbeat,
}: RunFolder): readonly string[] => [
  ...['/bin/rm', '-rf', '--'],
  ...[claim, process, supervisorProcess, exit, heartbeat],
];

/**
 * Returns the shell command that signals every process of the run. With `graceMs`, the command ends
 * the run: after that time, it sends KILL to the processes that are left, then checks again.
 * `parseSignalReport` parses its output.
 */
export const signalCommand = (folder: RunFolder, signal: string, graceMs?: number): string => {
  const supervisorScript = `/bin/sh ${shellQuote(folder.supervisorScript)}`;
  return graceMs === undefined
    ? `${supervisorScript} signal ${shellQuote(signal)}`
    : `${supervisorScript} end ${shellQuote(signal)} ${Math.ceil(graceMs / tickMs)}`;
};

/**
 * Milliseconds per tick, the unit in which the supervisor gets waiting times. Do not change it:
 * supervisors of earlier versions, which may still run on machines, use the same unit.
 */
const tickMs = 100;

export interface SignalReport {
  /** Pids of the processes that were signalled. */
  readonly signalled: readonly number[];
  /** True if KILL was needed. */
  readonly isEscalated: boolean;
  /** Pids of the processes of the run that still exist. */
  readonly left: readonly number[];
}

export function parseSignalReport(text: string): SignalReport {
  const fields = parseFields(text);
  const pids = (name: string): number[] =>
    (fields.get(name) ?? '').split(' ').filter(Boolean).map(Number);
  return {
    signalled: pids('signalled'),
    isEscalated: fields.get('escalated') === '1',
    left: pids('left'),
  };
}

/** Parses a `process` file; `undefined` when the text is incomplete. */
export function parseProcess(text: string): RunProcess | undefined {
  if (!text.endsWith('\n')) return undefined;
  const fields = parseFields(text);
  const pid = Number(fields.get('pid'));
  const startedMs = Number(fields.get('started_ms'));
  const startTime = fields.get('start_time');
  if (!(pid > 0) || !(startedMs > 0) || startTime === undefined) return undefined;
  const gpuIds = (fields.get('gpus') ?? '').split(',').filter(Boolean);
  return {
    pid,
    startTime,
    bootId: fields.get('boot_id') ?? '',
    startedMs,
    ...(gpuIds.length > 0 && { gpuIds }),
  };
}

/** Parses the lines `name=value` of the supervisor's files. */
export const parseFields = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split('\n').flatMap((line) => {
      const at = line.indexOf('=');
      return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1).trim()] as const];
    }),
  );

/**
 * Returns the script that runs the command. If the command ends with `&` (background), the script
 * waits for it: the run would otherwise end immediately with success.
 */
function commandScript(command: string): string {
  const isBackground = /(^|[^&])&\s*$/.test(command);
  // `${!:-}` has a default, because the command may have used `set -u`.
  const wait = 'set -- $?\nif [ -n "${!:-}" ]; then wait "$!"; else exit "$1"; fi\n';
  return `${command}\n${isBackground ? wait : ''}`;
}
