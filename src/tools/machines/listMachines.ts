import * as z from 'zod';
import { counted } from '../../base/text.ts';
import type { Clock } from '../../base/clock.ts';
import { describeWithin } from '../../machines/describeWithin.ts';
import type { Machine, Machines, MachineStatus } from '../../machines/machine.ts';
import type { Run } from '../../runs/liveRun.ts';
import type { CommandConfining } from '../parameters/machinePath.ts';
import { gpuTimeFields, useFields, type ResourceSource } from './machineUse.ts';
import { statusText } from '../parameters/runReference.ts';
import { defineTool, type Tool } from '../tool.ts';

export interface MachineOverview {
  readonly machines: Pick<Machines, 'list' | 'status'>;
  readonly runs: { all(): readonly Run[] };
  readonly clock: Clock;
  /** Source of the current load of machines. Omitted if the load is not reported. */
  readonly resources?: ResourceSource;
  readonly confining?: Pick<CommandConfining, 'state'>;
}

/** Fields with text from the machine itself: names of hardware and disks, and errors. */
const ofMachines = ['description', 'why', 'gpus.name', 'disks.path'];

export const listMachines = (overview: MachineOverview): Tool =>
  defineTool({
    name: 'list_machines',
    description:
      'List the machines with status, hardware, current use (also of each GPU), free places, working folder, confinement and active runs.',
    effect: 'read',
    parameters: z.strictObject({}),
    describe: () => 'Listed machines',
    async execute() {
      const list = await Promise.all(
        overview.machines.list().map((machine) => machineFields(machine, overview)),
      );
      return {
        content: { machines: list },
        origins: Object.fromEntries(ofMachines.map((name) => [`machines.${name}`, 'the machine'])),
        summary: counted(list.length, 'machine'),
      };
    },
  });

/**
 * Returns the description of one machine. Resolves in time even if the machine does not answer, so
 * that the list always contains the other machines.
 */
async function machineFields(
  machine: Machine,
  { machines, runs, clock, resources, confining }: MachineOverview,
): Promise<Record<string, unknown>> {
  const running = runs
    .all()
    .filter((run) => run.spec.machineId === machine.id && run.liveness.kind !== 'ended');
  const answer = await describeWithin(machine, clock);
  const [confined, use] =
    'description' in answer
      ? await Promise.all([confining?.state(machine), useFields(machine, resources, clock)])
      : [];
  return {
    id: machine.id,
    kind: machine.kind,
    ...('description' in answer
      ? { status: 'connected', description: answer.description }
      : statusFields(machines.status?.(machine.id), answer.problem)),
    ...workFolderOf(machine),
    ...(confined && { confined: confined.text }),
    ...use,
    running: running.map((run) => ({
      run: run.spec.number,
      task: run.handle ?? run.spec.id,
      label: run.spec.label,
      status: statusText(run),
      ...gpuTimeFields(run.spec.id, resources),
    })),
  };
}

/** Returns the status fields of a machine that did not answer in time. */
const statusFields = (
  status: MachineStatus | undefined,
  problem: string,
): Record<string, unknown> =>
  status?.kind === 'unused'
    ? { status: 'not_yet_used', why: problem }
    : { status: 'unreachable', why: status?.kind === 'unreachable' ? status.why : problem };

/**
 * Returns the working folder of the machine; empty for a machine that was never reached, because
 * its working folder is unknown.
 */
function workFolderOf(machine: Machine): { readonly work_folder?: string } {
  try {
    return { work_folder: machine.workFolder };
  } catch {
    return {};
  }
}
