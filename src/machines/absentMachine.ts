/**
 * Returns a placeholder for a machine that is not in the list. Every call of the placeholder
 * rejects with `MachineFailure`; the recorded data of the machine's runs stays readable.
 */
import { posix } from 'node:path';
import { MachineFailure, type Machine } from './machine.ts';

export function absentMachine(
  id: string,
  why = `Machine ${id} is not in the list of machines. Add it again to reach it.`,
): Machine {
  const gone = (): Promise<never> => Promise.reject(new MachineFailure('unknown_machine', why));
  return {
    id,
    kind: 'ssh',
    path: posix,
    runsFolder: '/nonexistent',
    workFolder: '/',
    describe: gone,
    exec: gone,
    query: gone,
    stream: gone,
    spawnDetached: gone,
    readFile: gone,
    writeFile: gone,
    appendFile: gone,
    stat: gone,
    follow: () => ({ drain: gone, dispose: () => undefined }),
  };
}
