/** What a process and all that it started have cost, as Linux counts it. */
import { readdir, readFile } from 'node:fs/promises';

/** Of the clock that /proc counts by; Linux has told programs this number for ever. */
const msPerTick = 10;

interface ProcessTime {
  readonly parent: number;
  /** Its own, and that of those children whose end it has seen. */
  readonly ms: number;
}

/**
 * Milliseconds of processor time of the process `pid`, its descendants, and those of them that are
 * over.
 */
export async function processorMsOf(pid: number): Promise<number> {
  const times = new Map<number, ProcessTime>();
  for (const name of await readdir('/proc'))
    if (/^\d+$/.test(name)) await note(times, Number(name));
  const isOfIt = (one: number): boolean =>
    one === pid || (times.has(one) && isOfIt(times.get(one)?.parent ?? 0));
  return [...times].reduce((sum, [one, { ms }]) => (isOfIt(one) ? sum + ms : sum), 0);
}

async function note(times: Map<number, ProcessTime>, pid: number): Promise<void> {
  // One that is over meanwhile has been added to its parent.
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields.length < 16) return;
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  times.set(pid, { parent: Number(fields[1]), ms: ticks * msPerTick });
}
