import { changeAccess } from '../parameters/changeAccess.ts';
import * as z from 'zod';
import { counted } from '../../base/text.ts';
import {
  changedFiles,
  machineId,
  onMachine,
  writtenPath,
  type MachineTools,
} from '../parameters/machinePath.ts';
import { withSecretValues } from '../parameters/secretLabels.ts';
import { defineTool, type Tool } from '../tool.ts';

export const writeFile = (deps: MachineTools): Tool =>
  defineTool({
    name: 'write_file',
    description:
      'Write a whole text file, exactly as given, or append to it. Creates missing folders.',
    guidance: ['Write scripts with write_file and patch_file; do not nest quotes in commands.'],
    effect: 'write',
    parameters: z.strictObject({
      machine_id: machineId,
      path: z.string().min(1),
      content: z.string().describe('With a newline at the end.'),
      append: z.boolean().default(false).describe('Append instead of replacing.'),
    }),
    aliases: { machine: 'machine_id', file: 'path', file_path: 'path', text: 'content' },
    describe: (args) =>
      `${args.append ? 'Appended to' : 'Wrote'} ${onMachine(args.path, args.machine_id)}`,
    accesses: async ({ machine_id: machineId, path, content, append }) => [
      await changeAccess(deps, { machineId, path }, (before) =>
        append ? before + content : content,
      ),
    ],
    async execute(args, context) {
      const machine = deps.machines.get(args.machine_id);
      const { path, realPath } = await writtenPath(deps, machine, { path: args.path, context });
      const { secrets } = deps;
      const bytes = Buffer.from(await withSecretValues(args.content, { machine, path, secrets }));
      const write = args.append ? machine.appendFile : machine.writeFile;
      await write.call(machine, path, bytes, { realPath });
      const lines = countLines(args.content);
      return {
        content: { written: path, lines, bytes: bytes.length },
        summary: counted(lines, 'line'),
        ...changedFiles(machine, path),
      };
    },
  });

const countLines = (text: string): number =>
  text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
