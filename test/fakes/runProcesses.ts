/**
 * The processes of runs as this computer sees them, wherever they run on it: also in a container
 * that nobody can ask.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { RunId } from '../../src/base/ids.ts';

/** Of the run itself and of its supervisor, which is there until it has written down the end. */
export const processesOf = (id: RunId): string[] =>
  pids().filter(
    (pid) => has(pid, 'environ', variable(id)) || has(pid, 'cmdline', `${id}/capsule.sh`),
  );

/**
 * Makes an empty file in the folder in which the run works; false where no process of it was met.
 */
export function touchBeside(id: RunId, name: string): boolean {
  for (const pid of pids().filter((each) => has(each, 'environ', variable(id)))) {
    try {
      writeFileSync(`/proc/${pid}/cwd/${name}`, '');
      return true;
    } catch {
      // This one is gone; another one of the run may be there.
    }
  }
  return false;
}

const variable = (id: RunId): string => `HELIOS_RUN_ID=${id}\0`;
const pids = (): string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name));

function has(pid: string, file: 'environ' | 'cmdline', text: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(text);
  } catch {
    return false;
  }
}
