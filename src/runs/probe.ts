/** Whether the process of a run is still there. */
import { shellQuote } from '../base/text.ts';
import { MachineFailure, type Machine } from '../machines/machine.ts';
import type { RunProcess } from './run.ts';

/** `isFinal`: it cannot be about to write an exit record either, for its machine was restarted. */
export type Presence =
  { readonly kind: 'alive' } | { readonly kind: 'gone'; readonly why: string; readonly isFinal: boolean };

const gone = (why: string, isFinal = false): Presence => ({ kind: 'gone', why, isFinal });
const noProcess = gone('its process is gone and left no exit record');

/** A pid that now belongs to another process counts as gone. Rejects with `MachineFailure` when it cannot be told. */
export function probe(machine: Machine, process: RunProcess): Promise<Presence> {
  // A start time in clock ticks comes from /proc, any other from `ps`.
  return /^\d+$/.test(process.startTime) ? probeProc(machine, process) : probePs(machine, process);
}

async function probeProc(machine: Machine, process: RunProcess): Promise<Presence> {
  const bootId = await readSmall(machine, '/proc/sys/kernel/random/boot_id');
  if (bootId !== undefined && process.bootId !== '' && bootId.trim() !== process.bootId)
    return gone('its machine was restarted', true);
  const stat = await readSmall(machine, `/proc/${process.pid}/stat`);
  if (stat === undefined) return noProcess;
  // The name of the program, in parentheses, may hold anything; the state and the start time come after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const isDead = fields[0] === 'Z' || fields[0] === 'X';
  return isDead || fields[19] !== process.startTime ? noProcess : { kind: 'alive' };
}

async function probePs(machine: Machine, process: RunProcess): Promise<Presence> {
  const command = `LC_ALL=C TZ=UTC0 ps -o lstart= -p ${shellQuote(String(process.pid))}`;
  const { outcome, stdout } = await machine.exec(command, { timeoutMs: 10_000 });
  if (outcome.kind !== 'exited') throw new MachineFailure('timeout', `Machine ${machine.id} did not answer in time.`);
  return stdout.trim() === process.startTime ? { kind: 'alive' } : noProcess;
}

async function readSmall(machine: Machine, path: string): Promise<string | undefined> {
  return readIfThere(machine, path, 4096);
}

/** The first bytes of a file as text; `undefined` when there is no such file. */
export async function readIfThere(machine: Machine, path: string, maxBytes: number): Promise<string | undefined> {
  try {
    return Buffer.from(await machine.readFile(path, { offset: 0, maxBytes })).toString('utf8');
  } catch (error) {
    if (error instanceof MachineFailure && error.reason === 'missing') return undefined;
    throw error;
  }
}
