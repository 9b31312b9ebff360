/** Leases of a machine: which run has which GPU or slot. They are stored on the machine only. */
import { posix } from 'node:path';
import type { RunId, SessionId } from '../base/ids.ts';
import { shellText } from '../base/shellText.ts';
import { shellQuote } from '../base/text.ts';
import type { Machine } from '../machines/machine.ts';
import { leaseFunctions } from './supervisorScript.ts';

/** An active run that has a lease. */
export interface LeaseHolder {
  readonly runId: RunId;
  readonly sessionId: SessionId;
  /** Number of the run within its session. */
  readonly number: number;
}

export interface GpuSlot {
  /** Name in `CUDA_VISIBLE_DEVICES`. */
  readonly id: string;
  /** `undefined`: free for a run. */
  readonly heldBy?: LeaseHolder;
}

export interface FreeSlots {
  /**
   * GPUs that runs may take, in the order in which they are taken. Empty without a GPU, and with a
   * scheduler.
   */
  readonly gpus: readonly GpuSlot[];
  /**
   * Limit of runs at a time. A run with GPUs takes a slot, too. `undefined`: the entry of the
   * machine has no limit.
   */
  readonly slots?: { readonly total: number; readonly free: number };
}

/**
 * Asks the machine for its leases, including those of other sessions, processes and computers. The
 * answer may be outdated at once: only a launch takes a lease. Rejects with `MachineFailure`.
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
