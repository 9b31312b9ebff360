/** Parses the output of Slurm's job commands. */
import { signalName } from '../../base/signals.ts';
import type { JobEnd, JobState } from '../machine.ts';

/**
 * Columns of squeue's output: name and width. The widths are fixed, because older versions have no
 * separators. The reason comes last, because it may contain spaces.
 */
const columns = [
  ['JobArrayID', 40],
  ['State', 24],
  ['exit_code', 16],
  ['EndTime', 40],
  ['NodeList', 80],
  ['Reason', 120],
] as const;

/**
 * Returns the command that lists jobs, including recently ended ones, with times as seconds since
 * 1970.
 */
export const squeueCommand = (jobIds: readonly string[]): string =>
  `SLURM_TIME_FORMAT=%s timeout 20 squeue -h -r -t all -j ${jobIds.join(',')} ` +
  `-O '${columns.map(([name, width]) => `${name}:${width}`).join(',')}'`;

/** Returns the command that lists jobs, no matter how long ago they ended. */
export const sacctCommand = (jobIds: readonly string[]): string =>
  `SLURM_TIME_FORMAT=%s timeout 20 sacct -n -X -P -j ${jobIds.join(',')} -o JobID,State,ExitCode,End,NodeList`;

const jobId = /^\d+(_\d+)?$/;

export function parseSqueue(text: string): ReadonlyMap<string, JobState> {
  return jobStates(
    text.split('\n').map((line) => {
      let start = 0;
      const cells = columns.map(([, width]) => line.slice(start, (start += width)).trim());
      const [id = '', state = '', exit = '', end = '', node = '', why = ''] = cells;
      return { id, state, exit: exitOfStatus(exit), end, node, why };
    }),
  );
}

export function parseSacct(text: string): ReadonlyMap<string, JobState> {
  const rows = text.split('\n').map((line) => {
    const [id = '', state = '', exit = '', end = '', node = ''] = line.split('|');
    const [code = 0, signal = 0] = exit.split(':').map(Number);
    return { id, state, exit: { code, signal }, end, node, why: '' };
  });
  return jobStates(rows);
}

interface Row {
  readonly id: string;
  readonly state: string;
  readonly exit: Exit;
  /** When the job ended, in seconds since 1970. */
  readonly end: string;
  readonly node: string;
  readonly why: string;
}

interface Exit {
  readonly code: number;
  readonly signal: number;
}

const jobStates = (rows: readonly Row[]): ReadonlyMap<string, JobState> =>
  new Map(rows.filter(({ id }) => jobId.test(id)).map((row) => [row.id, stateOf(row)]));

/**
 * Parses an exit status. The status has the exit code in the high byte and the signal in the low
 * byte, like the status of `wait`; some versions of Slurm print `code:signal` instead.
 */
function exitOfStatus(text: string): Exit {
  const [status = 0, signal] = text.split(':').map(Number);
  return signal === undefined
    ? { code: (status >> 8) & 0xff, signal: status & 0x7f }
    : { code: status, signal };
}

const waiting = [
  'PENDING',
  'CONFIGURING',
  'REQUEUED',
  'REQUEUE_FED',
  'REQUEUE_HOLD',
  'RESV_DEL_HOLD',
  'SPECIAL_EXIT',
];
const going = [
  'RUNNING',
  'COMPLETING',
  'RESIZING',
  'SIGNALING',
  'STAGE_OUT',
  'STOPPED',
  'SUSPENDED',
];

function stateOf(row: Row): JobState {
  // Use only the first word, for example of `CANCELLED by 1000`.
  const state = row.state.split(/[\s+]/)[0] ?? '';
  if (waiting.includes(state))
    return { kind: 'queued', why: state === 'PENDING' ? row.why || 'None' : state };
  if (going.includes(state)) return { kind: 'running', node: row.node };
  const end = endOf(state, row);
  const endedMs = /^\d+$/.test(row.end) ? Number(row.end) * 1000 : 0;
  return end === undefined
    ? { kind: 'unknown', isLeftOut: false }
    : { kind: 'ended', end, endedMs };
}

function endOf(state: string, { exit, node, why }: Row): JobEnd | undefined {
  switch (state) {
    case 'COMPLETED':
      return { kind: 'completed' };
    case 'FAILED':
      return failed(exit);
    case 'CANCELLED':
    case 'REVOKED':
      return { kind: 'cancelled' };
    case 'TIMEOUT':
    case 'DEADLINE':
      return { kind: 'time_limit' };
    case 'OUT_OF_MEMORY':
      return { kind: 'out_of_memory' };
    case 'PREEMPTED':
      return { kind: 'preempted' };
    case 'NODE_FAIL':
    case 'BOOT_FAIL':
    case 'LAUNCH_FAILED':
    case 'RECONFIG_FAIL':
      return { kind: 'node_failed', why: nodeFailure(state, node, why) };
    default:
      return undefined;
  }
}

function failed({ code, signal }: Exit): JobEnd {
  const name = signalName(signal);
  return { kind: 'failed', code, ...(name !== undefined && { signal: name }) };
}

const nodeFailure = (state: string, node: string, why: string): string =>
  `node ${node || 'unknown'} failed: ${[state, ...(why && why !== 'None' ? [why] : [])].join(', ')}`;
