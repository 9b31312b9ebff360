import { treeAccesses, writeAccess } from '../parameters/accesses.ts';
import * as z from 'zod';
import {
  destination,
  sendFiles,
  source,
  transferOptions,
  transferResult,
  transferRules,
} from './fileTransfer.ts';
import { onMachine, type MachineTools } from '../parameters/machinePath.ts';
import { defineTool, type Tool } from '../tool.ts';

export const remoteDownload = (deps: MachineTools): Tool =>
  defineTool({
    name: 'remote_download',
    description: `Fetch a file or a folder from a machine to this computer. ${transferRules}`,
    effect: 'write',
    needs: 'machines',
    isRepeatable: true,
    parameters: z.strictObject({
      machine_id: z.string().min(1).describe('The source: a machine id from list_machines.'),
      remote_path: z
        .string()
        .min(1)
        .describe(
          'File or folder on machine_id. Relative paths start at its working folder; ~ is its home folder.',
        ),
      local_path: z.string().min(1).describe('New path of the file or folder on this computer.'),
      ...transferOptions,
    }),
    aliases: { machine: 'machine_id', source: 'remote_path', destination: 'local_path' },
    describe: (args) =>
      `Fetched ${onMachine(args.remote_path, args.machine_id)} to ${args.local_path}`,
    accesses: async ({ machine_id, local_path, remote_path }) => [
      ...(await treeAccesses(deps, { machineId: machine_id, path: remote_path })),
      await writeAccess(deps.machines, { machineId: 'local', path: local_path }),
    ],
    async execute({ machine_id, remote_path, local_path, ...options }, context) {
      const [from, to] = [deps.machines.get(machine_id), deps.machines.get('local')];
      const report = await sendFiles(
        {
          from: { machine: from, path: await source(deps, from, { path: remote_path, context }) },
          ...options,
          ...(await destination(deps, to, { path: local_path, exclude: options.exclude, context })),
        },
        context,
      );
      return transferResult(report);
    },
  });
