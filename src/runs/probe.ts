/** Finds out whether the process of a run still exists. */
import { shellQuote } from '../base/text.ts';
import { MachineFailure, type Machine } from '../machines/machine.ts';
import type { Presence } from './presence.ts';
import type { RunProcess } from './run.ts';

type ProcessPresence = Extract<Presence, { kind: 'alive' | 'gone' }>;

const gone = (why: string, isFinal = false): ProcessPresence => ({ kind: 'gone', why, isFinal });
const noProcess = gone('its process is gone and left no exit record');

/**
 * Returns whether the process of a run exists. Returns `gone` if another process has the pid now.
 * Rejects with `MachineFailure` when the machine does not answer.
 */
export function probe(machine: Machine, process: RunProcess): Promise<ProcessPresence> {
  // A start time in clock ticks comes from /proc, any other start time from `ps`.
  return /^\d+$/.test(process.startTime) ? probeProc(machine, process) : probePs(machine, process);
}

async function probeProc(machine: Machine, process: RunProcess): Promise<ProcessPresence> {
  const bootId = await readSmall(machine, '/proc/sys/kernel/random/boot_id');
  if (bootId !== undefined && process.bootId !== '' && bootId.trim() !== process.bootId)
    return gone('its machine was restarted', true);
  const found = await readStat(machine, process.pid);
  const isDead = found?.state === 'Z' || found?.state === 'X';
  if (found && !isDead && found.startTime === process.startTime) return { kind: 'alive' };
  // Process 1 starts with its container. If process 1 is younger than the run, the container was
  // restarted.
  const first = await readStat(machine, 1);
  return Number(first?.startTime) > Number(process.startTime)
    ? gone('its container was stopped', true)
    : noProcess;
}

async function readStat(
  machine: Machine,
  pid: number,
): Promise<
  { readonly state: string | undefined; readonly startTime: string | undefined } | undefined
> {
  const stat = await readSmall(machine, `/proc/${pid}/stat`);
  // Skip the program name in parentheses, which may contain anything. State and start time follow
  // it.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields && { state: fields[0], startTime: fields[19] };
}

async function probePs(machine: Machine, process: RunProcess): Promise<ProcessPresence> {
  const command = `LC_ALL=C TZ=UTC0 ps -o lstart= -p ${shellQuote(String(process.pid))}`;
  const { outcome, stdout } = await machine.exec(command, { timeoutMs: 10_000 });
  if (outcome.kind !== 'exited')
    throw new MachineFailure('timeout', `Machine ${machine.id} did not answer in time.`);
  return stdout.trim() === process.startTime ? { kind: 'alive' } : noProcess;
}

async function readSmall(machine: Machine, path: string): Promise<string | undefined> {
  return readIfThere(machine, path, 4096);
}

/** Returns the first bytes of a file as text; `undefined` when the file does not exist. */
export async function readIfThere(
  machine: Machine,
  path: string,
  maxBytes: number,
): Promise<string | undefined> {
  try {
    return Buffer.from(await machine.readFile(path, { offset: 0, maxBytes })).toString('utf8');
  } catch (error) {
    if (error instanceof MachineFailure && error.reason === 'missing') return undefined;
    throw error;
  }
}
