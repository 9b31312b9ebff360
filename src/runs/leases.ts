/** Leases of a machine: which run uses which GPU or slot. Leases are stored only on the machine. */
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
  /** Id of the GPU in `CUDA_VISIBLE_DEVICES`. */
  readonly id: string;
  /** Run that has leased the GPU; `undefined` if the GPU is free. */
  readonly heldBy?: LeaseHolder;
}

export interface FreeSlots {
  /**
   * GPUs that runs may lease, in the order in which they are assigned. Empty if the machine has no
   * GPU or has a scheduler.
   */
  readonly gpus: readonly GpuSlot[];
  /**
   * Number of runs that may be active at a time (`total`) and that may start now (`free`),
   * including runs with GPUs. `undefined` if the configuration of the machine sets no limit.
   */
  readonly slots?: { readonly total: number; readonly free: number };
}

/**
 * Returns the free and leased GPUs and slots of a machine, including leases of other sessions,
 * processes and computers. Does not reserve anything, so the result may be outdated immediately.
 * Rejects with `MachineFailure`.
 */
export async function freeSlots(machine: Machine): Promise<FreeSlots> {
  if (machine.scheduler) return { gpus: [] };
  const { slots, gpuIds = [] } = machine.share ?? {};
  const lines = (await machine.query(readScript(machine, gpuIds)))
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

const readScript = ({ path, runsFolder }: Machine, gpuIds: readonly string[]): string => `
place=${shellQuote(path.dirname(runsFolder))} listed=${shellQuote(gpuIds.join(','))}
${leaseFunctions}${shellText('./readLeases.sh', import.meta.url)}`;
