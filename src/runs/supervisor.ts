/**
 * The supervisor: a POSIX shell script in the folder of a run, on the machine of the run. It starts
 * the command, outlives whoever started it, and writes down what became of it. Files of the folder:
 *
 * - `spec.json`, `terms`, `command.sh`, `capsule.sh`: written before anything starts
 * - `claim/`: made by whoever starts the run; making it succeeds once, so a run starts at most once
 * - `capsule`: the process of the supervisor, as `process` has that of the command
 * - `lease`: the GPUs and the place that the run was given; `busy`: there was none free, and the
 *   run did not start
 * - `process`: pid, start time, boot id, start in milliseconds, the run's own GPUs; written before
 *   the command's first step
 * - `output.log`: what the command wrote to stdout and stderr
 * - `heartbeat`: touched every few seconds while the supervisor lives
 * - `first_metric`: written by whoever reads the output: how many milliseconds ago the first metric
 *   came
 * - `kill`: somebody asked for the end; `limit`: the time of the run was over. Whichever is first
 *   is there alone
 * - `exit`: how it ended; appears whole, after the last byte of the command's own output, and of
 *   all its processes' where the run was ended
 */
import type { RunId } from '../base/ids.ts';
import { shellQuote } from '../base/text.ts';
import { supervisorScript } from './supervisorScript.ts';
import type { RunProcess, RunSpec } from './run.ts';
import { limitsFile, type SharedMachine } from './limits.ts';

export interface RunFolder {
  readonly path: string;
  readonly claim: string;
  readonly process: string;
  readonly output: string;
  readonly heartbeat: string;
  readonly exit: string;
  readonly kill: string;
  readonly limit: string;
  readonly busy: string;
  readonly firstMetric: string;
  /** The process of the supervisor. */
  readonly supervisorProcess: string;
  readonly supervisorScript: string;
  /** What the job of a scheduler said beside its command. */
  readonly batch: string;
}

/** The folder of a run below the `runsFolder` of its machine. */
export function runFolder(runsFolder: string, id: RunId): RunFolder {
  const path = `${runsFolder}/${id}`;
  const file = (name: string): string => `${path}/${name}`;
  return {
    path,
    claim: file('claim'),
    process: file('process'),
    output: file('output.log'),
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

/** What has to be written into the folder before the supervisor is started: name → text. */
export const supervisorFiles = (
  spec: RunSpec,
  machine: SharedMachine = {},
): Readonly<Record<string, string>> => ({
  'spec.json': `${JSON.stringify(spec, undefined, 2)}\n`,
  terms: limitsFile(spec, machine),
  'command.sh': commandScript(spec.command),
  'capsule.sh': supervisorScript,
});

/**
 * Starts the command, in the working folder of the caller. Starting a run that was started already
 * does nothing.
 */
export const startArgv = (folder: RunFolder): readonly string[] => [
  '/bin/sh',
  folder.supervisorScript,
  'start',
];

/** With the name of a signal as one more argument: signals every process of the run. */
export const signalArgv = (folder: RunFolder): readonly string[] => [
  '/bin/sh',
  folder.supervisorScript,
  'signal',
];

/**
 * Makes a run that had begun ready to be started anew. What it printed stays; so does the wish that
 * it end.
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
 * Signals every process of the run. With `graceMs`, ends them: KILL for those that are left when it
 * is over, then looks again. Prints what `parseSignalReport` reads.
 */
export const signalCommand = (folder: RunFolder, signal: string, graceMs?: number): string => {
  const supervisorScript = `/bin/sh ${shellQuote(folder.supervisorScript)}`;
  return graceMs === undefined
    ? `${supervisorScript} signal ${shellQuote(signal)}`
    : `${supervisorScript} end ${shellQuote(signal)} ${Math.ceil(graceMs / tickMs)}`;
};

/** The unit of waiting of supervisors, also of those that an earlier version left on machines. */
const tickMs = 100;

export interface SignalReport {
  /** Processes that were signalled. */
  readonly signalled: readonly number[];
  /** KILL was needed. */
  readonly isEscalated: boolean;
  /** Processes of the run that are still there. */
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

/** `undefined` when the text is not a whole `process` file. */
export function parseProcess(text: string): RunProcess | undefined {
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

/** The lines `name=value` of the supervisor's files. */
export const parseFields = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split('\n').flatMap((line) => {
      const at = line.indexOf('=');
      return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1).trim()] as const];
    }),
  );

/**
 * The command as it was given. One that puts itself into the background (`… &` at its end) is
 * waited for: otherwise the run would be over, with success, at the moment it began.
 */
function commandScript(command: string): string {
  const isBackground = /(^|[^&])&\s*$/.test(command);
  // With a default, for the command may have said `set -u`.
  const wait = 'set -- $?\nif [ -n "${!:-}" ]; then wait "$!"; else exit "$1"; fi\n';
  return `${command}\n${isBackground ? wait : ''}`;
}
