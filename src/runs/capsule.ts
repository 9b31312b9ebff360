/**
 * The capsule: a POSIX shell script in the folder of a run, on the machine of the run. It starts the command, outlives
 * whoever started it, and writes down what became of it. Files of the folder:
 *
 * - `spec.json`, `command.sh`, `capsule.sh`: written before anything starts
 * - `claim/`: made by whoever starts the run; making it succeeds once, so a run starts at most once
 * - `process`: pid, start time, boot id, start in milliseconds; written before the command's first instruction
 * - `output.log`: what the command wrote to stdout and stderr
 * - `heartbeat`: touched every few seconds while the capsule lives
 * - `kill`: somebody asked for the end
 * - `exit`: how it ended; appears whole, after the last byte of the command's own output
 */
import type { RunId } from '../base/ids.ts';
import { shellQuote } from '../base/text.ts';
import { capsuleScript } from './capsuleScript.ts';
import type { RunProcess, RunSpec } from './run.ts';

export interface RunFolder {
  readonly path: string;
  readonly claim: string;
  readonly process: string;
  readonly output: string;
  readonly heartbeat: string;
  readonly exit: string;
  readonly kill: string;
  readonly capsule: string;
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
    capsule: file('capsule.sh'),
  };
}

/** What has to be written into the folder before the capsule is started: name → text. */
export const capsuleFiles = (spec: RunSpec): Readonly<Record<string, string>> => ({
  'spec.json': `${JSON.stringify(spec, undefined, 2)}\n`,
  'command.sh': commandScript(spec.command),
  'capsule.sh': capsuleScript,
});

/** Starts the command, in the working folder of the caller. Starting a run that was started already does nothing. */
export const startArgv = (folder: RunFolder): readonly string[] => ['/bin/sh', folder.capsule, 'start'];

/**
 * Signals every process of the run. With `graceMs`, ends them: KILL for those that are left when it is over, then looks
 * again. Prints what `parseSignalReport` reads.
 */
export const signalCommand = (folder: RunFolder, signal: string, graceMs?: number): string => {
  const capsule = `/bin/sh ${shellQuote(folder.capsule)}`;
  return graceMs === undefined
    ? `${capsule} signal ${shellQuote(signal)}`
    : `${capsule} end ${shellQuote(signal)} ${Math.ceil(graceMs / tickMs)}`;
};

/** The capsule's unit of waiting. */
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
  const pids = (name: string): number[] => (fields.get(name) ?? '').split(' ').filter(Boolean).map(Number);
  return { signalled: pids('signalled'), isEscalated: fields.get('escalated') === '1', left: pids('left') };
}

/** `undefined` when the text is not a whole `process` file. */
export function parseProcess(text: string): RunProcess | undefined {
  const fields = parseFields(text);
  const pid = Number(fields.get('pid'));
  const startedMs = Number(fields.get('started_ms'));
  const startTime = fields.get('start_time');
  if (!(pid > 0) || !(startedMs > 0) || startTime === undefined) return undefined;
  return { pid, startTime, bootId: fields.get('boot_id') ?? '', startedMs };
}

/** The lines `name=value` of the capsule's files. */
export const parseFields = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split('\n').flatMap((line) => {
      const at = line.indexOf('=');
      return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1).trim()] as const];
    }),
  );

/**
 * The command as it was given. One that puts itself into the background (`… &` at its end) is waited for: otherwise the
 * run would be over, with success, at the moment it began.
 */
function commandScript(command: string): string {
  const isBackground = /(^|[^&])&\s*$/.test(command);
  // With a default, for the command may have said `set -u`.
  const wait = 'set -- $?\nif [ -n "${!:-}" ]; then wait "$!"; else exit "$1"; fi\n';
  return `${command}\n${isBackground ? wait : ''}`;
}
