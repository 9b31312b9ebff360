/**
 * Returns a placeholder for a machine that is not in the list. Runs that name it keep their
 * recorded data; every call rejects with `MachineFailure`.
 */
import { MachineFailure, type Machine } from './machine.ts';

export function absentMachine(
  id: string,
  why = `Machine ${id} is not in the list of machines. Add it again to reach it.`,
): Machine {
  const gone = (): Promise<never> => Promise.reject(new MachineFailure('unknown_machine', why));
  return {
    id,
    kind: 'ssh',
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
