import * as z from 'zod';
import type { MemoryNode } from '../../memory/memoryNode.ts';
import type { MemoryStore } from '../../memory/memoryStore.ts';
import { isRecorded, shownGist } from '../../memory/recordedNotes.ts';
import { defineTool, type Tool } from '../tool.ts';

const maxShown = 200;
const maxRecordedChars = 300;

export const memoryLs = (memory: Pick<MemoryStore, 'list'>): Tool =>
  defineTool({
    name: 'memory_ls',
    description: 'List the notes below a path of your memory, with their gists.',
    effect: 'read',
    countedAs: 'note_read',
    parameters: z.strictObject({
      path: z.string().default('/').describe('Default: /.'),
    }),
    describe: ({ path }) => `List memory ${path}`,
    async execute({ path }) {
      const nodes = await memory.list(path);
      const children = nodes
        .slice(0, maxShown)
        .map((node) => ({ path: node.path, gist: gistOf(node), type: node.type }));
      const left = nodes.length - children.length;
      return {
        content: {
          path,
          children,
          ...(nodes.length === 0 && { note: 'There are no notes below this path yet.' }),
          ...(left > 0 && {
            note: `${left} more notes are not shown. Sort notes into folders, and list the folders one by one.`,
          }),
        },
        summary: `${nodes.length} ${nodes.length === 1 ? 'note' : 'notes'}`,
      };
    },
  });

const gistOf = (node: MemoryNode): string =>
  isRecorded(node.path) ? shownGist(node, maxRecordedChars) : node.gist;
