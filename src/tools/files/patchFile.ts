import { changeAccess } from '../parameters/changeAccess.ts';
import * as z from 'zod';
import { ToolFailure } from '../../base/errors.ts';
import type { Machine } from '../../machines/machine.ts';
import {
  changedFiles,
  machineId,
  onMachine,
  writtenPath,
  type MachineTools,
} from '../parameters/machinePath.ts';
import { restored } from '../parameters/secretLabels.ts';
import { defineTool, type Tool } from '../tool.ts';

const maxFileBytes = 50 * 1024 * 1024;

export const patchFile = (deps: MachineTools): Tool =>
  defineTool({
    name: 'patch_file',
    description:
      'Replace one piece of text in a file. old_string must match exactly, including white space, and occur once.',
    effect: 'write',
    parameters: z.strictObject({
      machine_id: machineId,
      path: z.string().min(1),
      old_string: z.string().min(1).describe('With enough text around it to be unique.'),
      new_string: z.string(),
    }),
    aliases: {
      machine: 'machine_id',
      file: 'path',
      file_path: 'path',
      old_str: 'old_string',
      new_str: 'new_string',
    },
    describe: (args) => `Edited ${onMachine(args.path, args.machine_id)}`,
    accesses: async ({ machine_id: machineId, path, old_string: old, new_string: text }) => [
      await changeAccess(deps, { machineId, path }, (before) => before.replace(old, () => text)),
    ],
    async execute(args, context) {
      const machine = deps.machines.get(args.machine_id);
      const { path, realPath } = await writtenPath(deps, machine, { path: args.path, context });
      const bytes = await readWhole(machine, path);
      const place = { held: bytes.toString('utf8'), path, secrets: deps.secrets };
      const [oldText, newText] = [
        restored(args.old_string, place),
        restored(args.new_string, place),
      ];
      const edit = findEdit(bytes, oldText, newText, path);
      await machine.writeFile(
        path,
        Buffer.concat([
          bytes.subarray(0, edit.at),
          edit.new,
          bytes.subarray(edit.at + edit.old.length),
        ]),
        { realPath },
      );
      const line = bytes.subarray(0, edit.at).toString('latin1').split('\n').length;
      return {
        content: { patched: path, line },
        summary: `line ${line}`,
        ...changedFiles(machine, path),
      };
    },
  });

async function readWhole(machine: Machine, path: string): Promise<Buffer> {
  const stat = await machine.stat(path);
  if (!stat) throw new ToolFailure(`There is no file ${path}. Create it with write_file.`);
  if (stat.isDirectory) throw new ToolFailure(`${path} is a folder, not a file.`);
  if (stat.sizeBytes > maxFileBytes)
    throw new ToolFailure(
      `${path} has ${stat.sizeBytes} bytes; at most 50 MiB can be patched. Use remote_exec (sed).`,
    );
  return Buffer.from(await machine.readFile(path));
}

interface Edit {
  readonly at: number;
  readonly old: Buffer;
  readonly new: Buffer;
}

/**
 * Returns the position of `oldText`, which must occur exactly once. Compares bytes, so that the
 * rest of the file keeps its encoding.
 */
function findEdit(bytes: Buffer, oldText: string, newText: string, path: string): Edit {
  if (oldText === newText)
    throw new ToolFailure('old_string and new_string are the same: nothing to change.');
  for (const spell of spellings(bytes)) {
    const old = Buffer.from(spell(oldText));
    const places = countPlaces(bytes, old);
    if (places > 1)
      throw new ToolFailure(
        `old_string is in ${path} ${places} times. Add lines around it until it is unique.`,
      );
    if (places === 1) return { at: bytes.indexOf(old), old, new: Buffer.from(spell(newText)) };
  }
  throw new ToolFailure(
    `old_string is not in ${path}. Read the file again: every space and line ending must match.`,
  );
}

/**
 * Returns the spellings of line endings to try. Models write LF, but a file with CRLF line endings
 * must keep them. If the file has both kinds, the text is first tried as written.
 */
function spellings(bytes: Buffer): ((text: string) => string)[] {
  const windows = (text: string): string => text.replace(/\r?\n/g, '\r\n');
  if (!bytes.includes('\r\n')) return [(text) => text];
  const hasOther = /(^|[^\r])\n/.test(bytes.toString('latin1'));
  return hasOther ? [(text) => text, windows] : [windows];
}

/**
 * Counts the matches of `piece`, including overlapping matches, because each could be the intended
 * one.
 */
function countPlaces(bytes: Buffer, piece: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(piece); at >= 0; at = bytes.indexOf(piece, at + 1)) count++;
  return count;
}
