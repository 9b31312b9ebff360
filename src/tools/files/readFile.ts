import { usualPaths } from '../../permissions/pathRules.ts';
import { readAccess } from '../parameters/accesses.ts';
import { checkPath, resolvedRead } from '../parameters/pathAccesses.ts';
import { basename } from 'node:path';
import * as z from 'zod';
import { ToolFailure } from '../../base/errors.ts';
import { isKeyStart } from '../../base/privateKey.ts';
import { cleanText, counted, shellQuote } from '../../base/text.ts';
import type { Machine } from '../../machines/machine.ts';
import { readLines } from './lineReader.ts';
import { machineId, machinePath, onMachine, type MachineTools } from '../parameters/machinePath.ts';
import { isBinary, mediaTypeOf } from '../../base/mediaType.ts';
import { defineTool, type Tool, type ToolResult } from '../tool.ts';

const headBytes = 8192;
const maxAttachmentBytes = 10 * 1024 * 1024;
const maxLineChars = 2000;
const maxNames = 500;

export const readFile = ({ machines, paths = usualPaths }: MachineTools): Tool =>
  defineTool({
    name: 'read_file',
    description:
      'Read lines of a text file, list a folder, or look at an image or PDF (up to 10 MiB).',
    effect: 'read',
    countedAs: 'file',
    parameters: z.strictObject({
      machine_id: machineId,
      path: z.string().min(1),
      offset: z.number().int().min(1).default(1).describe('First line. Default: 1.'),
      limit: z.number().int().min(1).max(5000).default(200).describe('Lines. Default: 200.'),
    }),
    aliases: { machine: 'machine_id', file: 'path', file_path: 'path' },
    describe: (args) => `Read ${onMachine(args.path, args.machine_id)}`,
    accesses: async (args) => [
      await readAccess(machines, { machineId: args.machine_id, path: args.path }),
    ],
    async execute(args, context) {
      const machine = machines.get(args.machine_id);
      const path = await machinePath(machine, args.path);
      checkPath(await resolvedRead(machine, path), { approved: context.accesses, paths });
      const stat = await machine.stat(path);
      if (!stat)
        throw new ToolFailure(
          `There is no file ${path}. Read its folder to see which files exist.`,
        );
      if (stat.isDirectory) return listFolder(machine, path);
      const head = await machine.readFile(path, { offset: 0, maxBytes: headBytes });
      const mediaType = mediaTypeOf(head);
      if (isKeyStart(head))
        throw new ToolFailure(`Not allowed: ${path} is a private key, which no call may use.`);
      if (mediaType) return readAttachment(machine, path, { mediaType, sizeBytes: stat.sizeBytes });
      if (isBinary(head))
        throw new ToolFailure(
          `${path} is binary (${stat.sizeBytes} bytes). Inspect it with remote_exec (file, python).`,
        );
      return readText(machine, path, args);
    },
  });

/** Lists the names in the folder. Folder names end with a slash. */
async function listFolder(machine: Machine, path: string): Promise<ToolResult> {
  const names = await namesIn(machine, path);
  const entries = names.slice(0, maxNames).map(cleanText);
  return {
    content: {
      folder: path,
      entries,
      ...(names.length > maxNames && { note: `Only the first ${maxNames} names are shown.` }),
    },
    origins: { entries: `names in ${path} on ${machine.id}` },
    summary:
      names.length > maxNames
        ? `more than ${maxNames} entries`
        : counted(names.length, 'entry', 'entries'),
  };
}

/** Resolves with at most one more than the names that are shown. */
async function namesIn(machine: Machine, path: string): Promise<readonly string[]> {
  const { filesOnly } = machine;
  if (filesOnly) return (await filesOnly.namesIn(path)).slice(0, maxNames + 1);
  const script = `cd -- ${shellQuote(path)} && LC_ALL=C ls -1Ap | head -n ${maxNames + 1}`;
  return (await machine.query(script)).split('\n').filter((name) => name !== '');
}

async function readText(
  machine: Machine,
  path: string,
  args: { offset: number; limit: number },
): Promise<ToolResult> {
  const { lines, total } = await readLines(
    machine,
    path,
    args.offset,
    args.offset + args.limit - 1,
  );
  if (lines.length === 0 && args.offset > 1)
    throw new ToolFailure(`${path} has ${total} lines; offset ${args.offset} is beyond its end.`);
  return {
    content: {
      content: lines.map(cutLine).join('\n'),
      lines: {
        from: lines.length === 0 ? 0 : args.offset,
        to: args.offset + lines.length - 1,
        total: total ?? null,
      },
    },
    origins: { content: `file ${path} on ${machine.id}` },
    summary: `${lines.length} of ${total ?? 'very many'} lines`,
  };
}

const cutLine = (line: string): string =>
  line.length <= maxLineChars
    ? line
    : `${line.slice(0, maxLineChars)}… (line truncated; it has ${line.length} characters or more)`;

async function readAttachment(
  machine: Machine,
  path: string,
  file: { readonly mediaType: string; readonly sizeBytes: number },
): Promise<ToolResult> {
  if (file.sizeBytes > maxAttachmentBytes)
    throw new ToolFailure(
      `${path} has ${file.sizeBytes} bytes; the limit for an image or PDF is 10 MiB. Make a smaller copy first.`,
    );
  const name = basename(path);
  const bytes = await machine.readFile(path);
  const kind = file.mediaType === 'application/pdf' ? 'PDF' : 'Image';
  const text = `[${kind}: ${name} (${(file.sizeBytes / 1024).toFixed(1)} KB)]`;
  return {
    content: text,
    attachments: [
      {
        type: 'attachment',
        mediaType: file.mediaType,
        name,
        base64: Buffer.from(bytes).toString('base64'),
      },
    ],
    summary: text,
  };
}
