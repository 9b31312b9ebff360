/** The current state of the machines, for lists in text or JSON. */
import type { Clock } from '../../base/clock.ts';
import { describeWithin } from '../../machines/describeWithin.ts';
import type { Machine, MachineKind } from '../../machines/machine.ts';
import { entryText } from '../../machines/machineEntry.ts';
import type { MachineRegistry } from '../../machines/list/machineRegistry.ts';
import type { MachineResources } from '../../machines/resources/machineResources.ts';
import type { ResourceSample } from '../../machines/resources/resourceSample.ts';

/**
 * An element in the output of `helios machines --json`. For compatibility, fields may be added but
 * never removed.
 */
export interface MachineReport {
  readonly id: string;
  readonly kind: MachineKind;
  /** Address (`ada@gpu1:2222`) or image of the machine; `undefined` for this computer. */
  readonly place?: string;
  readonly status: 'connected' | 'unreachable' | 'unused';
  /** Description of the hardware in one line. */
  readonly description?: string;
  /** Why the machine is unreachable. */
  readonly why?: string;
  /** Maximum number of concurrent runs. */
  readonly slots?: number;
  /** Ids of the GPUs that runs may use. Default: all GPUs. */
  readonly gpuIds?: readonly string[];
  /** Current load; `undefined` if the load did not arrive in time. */
  readonly resources?: ResourceSample;
}

export interface ReportDeps {
  readonly machines: MachineRegistry;
  readonly resources: MachineResources;
  readonly clock: Clock;
}

/** Time to wait for the load of a machine after it was reached. */
const sampleMs = 2_000;

/**
 * Reports on all machines in parallel, so that an unreachable machine does not delay the others.
 * `isConnecting`: whether to connect to machines that were never used, too.
 */
export function reportMachines(
  deps: ReportDeps,
  { isConnecting }: { readonly isConnecting: boolean },
): Promise<readonly MachineReport[]> {
  const { machines } = deps;
  return Promise.all(
    machines.list().map(async (machine): Promise<MachineReport> => {
      const isAsked = isConnecting || machines.status(machine.id).kind !== 'unused';
      return {
        ...knownOf(machine, machines),
        ...(isAsked ? await answerOf(machine, deps) : { status: 'unused' }),
      };
    }),
  );
}

function knownOf({ id, kind }: Machine, machines: MachineRegistry): Omit<MachineReport, 'status'> {
  const entry = machines.entries().find((each) => each.id === id);
  if (entry === undefined) return { id, kind };
  const { slots, gpuIds } = entry.kind === 'slurm' ? {} : { gpuIds: undefined, ...entry };
  return {
    id,
    kind,
    place: entryText(entry),
    ...(slots !== undefined && { slots }),
    ...(gpuIds !== undefined && { gpuIds }),
  };
}

async function answerOf(
  machine: Machine,
  deps: ReportDeps,
): Promise<Omit<MachineReport, 'id' | 'kind'>> {
  const result = await describeWithin(machine, deps.clock);
  if (!('description' in result)) return { status: 'unreachable', why: result.problem };
  const resources = machine.filesOnly ? undefined : await sampleOf(machine.id, deps);
  return { status: 'connected', description: result.description, ...(resources && { resources }) };
}

async function sampleOf(
  id: string,
  { resources, clock }: ReportDeps,
): Promise<ResourceSample | undefined> {
  const latest = resources.latest(id);
  if (latest !== undefined) return latest;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const listener = resources.onDidChange((changed) => changed === id && resolve(undefined));
  const timer = clock.after(sampleMs, () => resolve(undefined));
  const watch = resources.watch(id);
  try {
    await promise;
    return resources.latest(id);
  } finally {
    for (const each of [listener, timer, watch]) each.dispose();
  }
}
