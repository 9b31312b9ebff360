import * as z from 'zod';
import type { MemoryStore } from '../../memory/memoryStore.ts';
import { defineTool, type Tool } from '../tool.ts';

export const memoryWrite = (memory: Pick<MemoryStore, 'write'>): Tool =>
  defineTool({
    name: 'memory_write',
    description:
      'Write a note that remains when older turns leave your context. Replaces the note at that path; without content, only its gist.',
    effect: 'write',
    isOwnData: true,
    changesCode: false,
    isRepeatable: true,
    parameters: z.strictObject({
      path: z.string().describe('Such as /observations/3.'),
      gist: z.string().min(1).describe('The finding in one line.'),
      content: z.string().optional().describe('Markdown.'),
    }),
    describe: ({ path }) => `Note ${path}`,
    async execute({ path, gist, content }) {
      const note = await memory.write(path, gist, content);
      return {
        content: { ok: true, path: note.path, gist: note.gist },
        summary: note.gist,
        ...(note.file !== undefined && { changedFiles: [note.file] }),
      };
    },
  });
