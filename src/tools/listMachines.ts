import * as z from 'zod';
import { messageOf } from '../base/errors.ts';
import type { Machine, Machines } from '../machines/machine.ts';
import type { Run } from '../runs/liveRun.ts';
import { statusText } from './runReference.ts';
import { defineTool, type Tool } from './tool.ts';

export interface MachineOverview {
  readonly machines: Pick<Machines, 'list'>;
  readonly runs: { all(): readonly Run[] };
}

export const listMachines = ({ machines, runs }: MachineOverview): Tool =>
  defineTool({
    name: 'list_machines',
    description: 'The machines that commands can run on: id, kind, hardware, working folder, runs that are not over.',
    effect: 'read',
    parameters: z.strictObject({}),
    describe: () => 'Listed machines',
    async execute() {
      const list = await Promise.all(machines.list().map((machine) => machineFields(machine, runs.all())));
      return { content: { machines: list }, summary: `${list.length} machine${list.length === 1 ? '' : 's'}` };
    },
  });

async function machineFields(machine: Machine, runs: readonly Run[]): Promise<Record<string, unknown>> {
  const running = runs.filter((run) => run.spec.machineId === machine.id && run.liveness.kind !== 'ended');
  return {
    id: machine.id,
    kind: machine.kind,
    // One machine that does not answer must not hide the others.
    ...(await machine.describe().then(
      (description) => ({ description }),
      (error: unknown) => ({ error: messageOf(error) }),
    )),
    work_folder: machine.workFolder,
    running: running.map((run) => ({
      run: run.spec.number,
      task: run.handle ?? run.spec.id,
      label: run.spec.label,
      status: statusText(run),
    })),
  };
}
