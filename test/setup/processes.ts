/** Processes as /proc shows them. Linux only, as is the server that the tests start. */
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  /** Clock ticks after boot. */
  readonly startTicks: number;
  readonly commandLine: string;
}

/**
 * The processes whose environment holds `NAME=value`: what was started with it and everything that
 * inherited it.
 */
export function processesWithVariable(name: string, value: string): readonly ProcessEntry[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      const environment = readProc(pid, 'environ')?.split('\0') ?? [];
      const entry = environment.includes(`${name}=${value}`) ? readProcess(pid) : undefined;
      return entry ? [entry] : [];
    });
}

function readProcess(pid: string): ProcessEntry | undefined {
  const stat = readProc(pid, 'stat');
  const commandLine = readProc(pid, 'cmdline');
  if (stat === undefined || commandLine === undefined) return undefined;
  // The second field is the name in brackets, which may hold spaces and brackets itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return {
    pid: Number(pid),
    parentPid: Number(fields[1]),
    startTicks: Number(fields[19]),
    commandLine: commandLine.replaceAll('\0', ' ').trim(),
  };
}

/** Undefined when the process has ended meanwhile or belongs to someone else. */
function readProc(pid: string, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}

/** Sends a signal; a process that has ended already is fine. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
