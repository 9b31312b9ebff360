/** Finds out whether the command of an interrupted call still runs on its machine. */
import { shellQuote } from '../../base/text.ts';
import type { Machines } from '../../machines/machine.ts';
import type { Access } from '../../permissions/access.ts';
import { callMark, type CallName } from '../../tools/parameters/runCommand.ts';
import { unknownFate } from '../context/history.ts';

export interface InterruptedCall extends CallName {
  readonly accesses: readonly Access[];
  readonly timeoutMs: number;
}

/** Resolves with sentences on what became of an interrupted call. Never rejects. */
export type CallFate = (call: InterruptedCall) => Promise<string>;

export const callFateOn =
  (machines: Pick<Machines, 'get'>): CallFate =>
  async ({ accesses, timeoutMs, ...call }) => {
    const command = accesses.find(({ kind }) => kind === 'command');
    if (command?.kind !== 'command') return unknownFate;
    const { machineId } = command;
    // The variable is in the environment of the command and of all its children.
    const script = `if [ -r /proc/self/environ ]; then grep -lF -e ${shellQuote(callMark(call))} /proc/[0-9]*/environ 2>/dev/null; echo looked; fi`;
    try {
      const text = await machines.get(machineId).query(script, { timeoutMs });
      if (!text.trim().endsWith('looked')) return unknownFate;
      const pids = [...text.matchAll(/\/proc\/(\d+)\//g)].map(([, pid]) => Number(pid));
      return pids.length === 0
        ? `Its command no longer runs on ${machineId}. What it did until then stays; check before repeating it.`
        : `Its command still runs on ${machineId} as ${pids.length === 1 ? 'pid' : 'pids'} ${pids
            .toSorted((a, b) => a - b)
            .slice(0, maxPids)
            .join(', ')}. Wait for it, or end it, before repeating it.`;
    } catch {
      return unknownFate;
    }
  };

const maxPids = 5;
