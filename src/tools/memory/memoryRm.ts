import * as z from 'zod';
import type { MemoryStore } from '../../memory/memoryStore.ts';
import { defineTool, type Tool } from '../tool.ts';

export const memoryRm = (memory: Pick<MemoryStore, 'remove'>): Tool =>
  defineTool({
    name: 'memory_rm',
    description:
      'Remove a note of your memory and everything below it permanently. / and /global as a whole are never removed.',
    effect: 'write',
    isOwnData: true,
    changesCode: false,
    isRepeatable: true,
    parameters: z.strictObject({ path: z.string().describe('exactly as memory_ls shows it') }),
    describe: ({ path }) => `Remove note ${path}`,
    async execute({ path }) {
      const removed = await memory.remove(path);
      return {
        content: { ok: true, path, removed_count: removed },
        summary: removed === 0 ? 'nothing was there' : `${removed} removed`,
      };
    },
  });
