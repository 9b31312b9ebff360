import { realAccess, treeAccesses, writeAccess } from '../parameters/accesses.ts';
import * as z from 'zod';
import {
  destination,
  notSentIn,
  sendFiles,
  source,
  transferOptions,
  transferResult,
  transferRules,
} from './fileTransfer.ts';
import { onMachine, sentPath, type MachineTools } from '../parameters/machinePath.ts';
import { withCodeNote, type UploadRecorder } from './uploadRecorder.ts';
import { exclusionsOf, secretFiles, withSecretFiles } from './secretFiles.ts';
import { defineTool, type Tool } from '../tool.ts';

const parameters = z.strictObject({
  machine_id: z.string().min(1).describe('The destination: a machine id from list_machines.'),
  local_path: z
    .string()
    .min(1)
    .describe('File or folder on this computer, or on source_machine_id.'),
  remote_path: z
    .string()
    .min(1)
    .describe(
      'New path of the file or folder on machine_id. Relative paths start at its working folder; ~ is its home folder.',
    ),
  source_machine_id: z
    .string()
    .min(1)
    .default('local')
    .describe('Machine on which local_path is. Default: local (this computer).'),
  ...transferOptions,
});

export const remoteUpload = (
  deps: MachineTools & { readonly uploadRecorder?: UploadRecorder },
): Tool =>
  defineTool({
    name: 'remote_upload',
    description: `Send a file or a folder to a machine, from this computer or from another machine. ${transferRules}`,
    guidance: [
      'Send code and data to a machine with remote_upload and fetch them with remote_download; only missing or changed files are sent. Files that a run writes stay on its machine until you fetch them.',
      'Code that you send is stored with the runs that use it. To run an experiment on a machine without the repository, make its branch on local, send the worktree and launch in the copy; send again after each edit.',
    ],
    effect: 'write',
    needs: 'machines',
    isRepeatable: true,
    parameters,
    aliases: {
      machine: 'machine_id',
      source: 'local_path',
      destination: 'remote_path',
      from_machine_id: 'source_machine_id',
    },
    describe: (args) =>
      `Sent ${onMachine(args.local_path, args.source_machine_id)} to ${args.remote_path} on ${args.machine_id}`,
    accesses: async ({ machine_id, local_path, remote_path, source_machine_id }) => [
      await realAccess('read', deps.machines, { machineId: source_machine_id, path: local_path }),
      ...(await treeAccesses(deps, { machineId: source_machine_id, path: local_path })).slice(1),
      await writeAccess(deps.machines, { machineId: machine_id, path: remote_path }),
    ],
    async execute({ machine_id, local_path, remote_path, source_machine_id, ...options }, context) {
      const [from, to] = [deps.machines.get(source_machine_id), deps.machines.get(machine_id)];
      const path = await source(deps, from, {
        path: await sentPath(from, { path: local_path, context }),
        context,
      });
      const secrets = await secretFiles(from, path);
      const exclude = [...options.exclude, ...exclusionsOf(secrets)];
      const place = await destination(deps, to, { path: remote_path, exclude, context });
      const asked = { from: { machine: from, path }, ...options, ...place };
      const isUpload = from.kind === 'local' && to.kind !== 'local';
      const code = isUpload
        ? await deps.uploadRecorder?.store({ from: asked.from, to: asked.to }, context.callId)
        : undefined;
      const report = await sendFiles(asked, context);
      const notSent = report && notSentIn(report);
      if (report !== undefined) await code?.record(notSent);
      return withCodeNote(withSecretFiles(transferResult(report), secrets), code, notSent);
    },
  });
