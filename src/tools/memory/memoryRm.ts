import * as z from 'zod';
import type { MemoryStore } from '../../memory/memoryStore.ts';
import { defineTool, type Tool } from '../tool.ts';

export const memoryRm = (memory: Pick<MemoryStore, 'remove'>): Tool =>
  defineTool({
    name: 'memory_rm',
    description: 'Remove a note of your memory and all notes below it.',
    effect: 'write',
    countedAs: 'note',
    isOwnData: true,
    changesCode: false,
    isRepeatable: true,
    parameters: z.strictObject({
      path: z.string().describe('As memory_ls returns it.'),
    }),
    describe: ({ path }) => `Remove note ${path}`,
    async execute({ path }) {
      const removed = await memory.remove(path);
      return {
        content: { ok: true, path, removed_count: removed },
        summary: removed === 0 ? 'no such note' : `${removed} removed`,
      };
    },
  });
