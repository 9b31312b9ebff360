/**
 * Who has what of a machine: its GPUs, and its places for runs. The machine knows; nothing of it is
 * kept here.
 */
import { posix } from 'node:path';
import type { RunId, SessionId } from '../base/ids.ts';
import { shellText } from '../base/shellText.ts';
import { shellQuote } from '../base/text.ts';
import type { Machine } from '../machines/machine.ts';
import { leaseFunctions } from './supervisorScript.ts';

/** A run that goes on. */
export interface LeaseHolder {
  readonly runId: RunId;
  readonly sessionId: SessionId;
  /** Within its session. */
  readonly number: number;
}

export interface GpuSlot {
  /** As `CUDA_VISIBLE_DEVICES` names it. */
  readonly id: string;
  /** Absent: free for a run. */
  readonly heldBy?: LeaseHolder;
}

export interface FreeSlots {
  /**
   * Those that runs may take, in the order in which they are taken; none where there is no GPU, or
   * a scheduler.
   */
  readonly gpus: readonly GpuSlot[];
  /**
   * Runs at a time; absent: the machine's entry sets no bound. A run with GPUs takes a slot, too.
   */
  readonly slots?: { readonly total: number; readonly free: number };
}

/**
 * Asks the machine, whoever holds what: also runs of other sessions, other processes and other
 * computers. A moment later it may be different: only the launch takes. Rejects with
 * `MachineFailure`.
 */
export async function freeSlots(machine: Machine): Promise<FreeSlots> {
  if (machine.scheduler) return { gpus: [] };
  const { slots, gpuIds = [] } = machine.share ?? {};
  const lines = (await machine.query(readScript(machine.runsFolder, gpuIds)))
    .split('\n')
    .map((line) => line.split(' '));
  const gpus = lines
    .filter(([kind]) => kind === 'gpu')
    .map(([, id = '', ...holder]) => gpuSlot(id, holder));
  if (slots === undefined) return { gpus };
  const held = lines.filter(([kind]) => kind === 'slot').length;
  return { gpus, slots: { total: slots, free: Math.max(0, slots - held) } };
}

const gpuSlot = (id: string, [runId, number, sessionId]: readonly string[]): GpuSlot =>
  runId === undefined
    ? { id }
    : {
        id,
        heldBy: {
          runId: runId as RunId,
          sessionId: sessionId as SessionId,
          number: Number(number),
        },
      };

const readScript = (runsFolder: string, gpuIds: readonly string[]): string => `
place=${shellQuote(posix.dirname(runsFolder))} listed=${shellQuote(gpuIds.join(','))}
${leaseFunctions}${shellText('./readLeases.sh', import.meta.url)}`;
