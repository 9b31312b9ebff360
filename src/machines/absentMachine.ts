/**
 * Stands for a machine that is not in the list: its runs keep what is known of them, and nothing
 * can be asked.
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
