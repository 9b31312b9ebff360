/** What can be said of a machine now, for a list that a user or a program reads. */
import type { Clock } from '../../base/clock.ts';
import { describeWithin } from '../../machines/describeWithin.ts';
import type { Machine, MachineKind } from '../../machines/machine.ts';
import { entryText } from '../../machines/machineEntry.ts';
import type { MachineRegistry } from '../../machines/list/machineRegistry.ts';
import type { MachineResources } from '../../machines/resources/machineResources.ts';
import type { ResourceSample } from '../../machines/resources/resourceSample.ts';

/** `helios machines --json` prints a list of these: fields are only ever added. */
export interface MachineReport {
  readonly id: string;
  readonly kind: MachineKind;
  /** `ada@gpu1:2222`, an image; absent for this computer. */
  readonly place?: string;
  readonly status: 'connected' | 'unreachable' | 'unused';
  /** What it is, in one line. */
  readonly description?: string;
  /** Why it does not answer. */
  readonly why?: string;
  /** Runs at a time, at most. */
  readonly slots?: number;
  /** The GPUs that runs may take; absent: all. */
  readonly gpuIds?: readonly string[];
  /** What it is busy with; absent where it was not told in time. */
  readonly resources?: ResourceSample;
}

export interface ReportDeps {
  readonly machines: MachineRegistry;
  readonly resources: MachineResources;
  readonly clock: Clock;
}

/** How long a list waits for numbers, beside what it waits for the machine. */
const sampleMs = 2_000;

/**
 * One for each machine, asked all at once; one that does not answer holds nobody up.
 * `isConnecting`: also those that were never used.
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
  const told = await describeWithin(machine, deps.clock);
  if (!('description' in told)) return { status: 'unreachable', why: told.problem };
  const resources = await sampleOf(machine.id, deps);
  return { status: 'connected', description: told.description, ...(resources && { resources }) };
}

async function sampleOf(
  id: string,
  { resources, clock }: ReportDeps,
): Promise<ResourceSample | undefined> {
  const known = resources.latest(id);
  if (known !== undefined) return known;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const heard = resources.onDidChange((changed) => changed === id && resolve(undefined));
  const timer = clock.after(sampleMs, () => resolve(undefined));
  const watch = resources.watch(id);
  try {
    await promise;
    return resources.latest(id);
  } finally {
    for (const each of [heard, timer, watch]) each.dispose();
  }
}
