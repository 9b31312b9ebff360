import { pathAccess } from '../parameters/accesses.ts';
import * as z from 'zod';
import { destination, transferOptions, transferred, transferRules } from './fileTransfer.ts';
import { machinePath, onMachine, type MachineTools } from '../parameters/machinePath.ts';
import { defineTool, type Tool } from '../tool.ts';

export const remoteDownload = (deps: MachineTools): Tool =>
  defineTool({
    name: 'remote_download',
    description: `Fetch a file or a folder from a machine to this computer. ${transferRules}`,
    effect: 'write',
    isRepeatable: true,
    parameters: z.strictObject({
      machine_id: z.string().min(1).describe('The source: a machine id from list_machines.'),
      remote_path: z
        .string()
        .min(1)
        .describe('The file or folder there. Relative paths start at the working folder.'),
      local_path: z.string().min(1).describe('Its new path here.'),
      ...transferOptions,
    }),
    aliases: { machine: 'machine_id', source: 'remote_path', destination: 'local_path' },
    describe: (args) =>
      `Fetched ${onMachine(args.remote_path, args.machine_id)} to ${args.local_path}`,
    accesses: ({ machine_id, local_path, remote_path }) => [
      pathAccess('read', deps.machines, { machineId: machine_id, path: remote_path }),
      pathAccess('write', deps.machines, { machineId: 'local', path: local_path }),
    ],
    async execute({ machine_id, remote_path, local_path, ...options }, context) {
      const [from, to] = [deps.machines.get(machine_id), deps.machines.get('local')];
      return transferred(
        {
          from: { machine: from, path: await machinePath(from, remote_path) },
          ...options,
          ...(await destination(deps, to, { path: local_path, exclude: options.exclude })),
        },
        context,
      );
    },
  });
