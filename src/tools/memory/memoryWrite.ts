import * as z from 'zod';
import type { MemoryStore } from '../../memory/memoryStore.ts';
import { defineTool, type Tool } from '../tool.ts';

export const memoryWrite = (memory: Pick<MemoryStore, 'write'>): Tool =>
  defineTool({
    name: 'memory_write',
    description:
      'Write a note that remains when older turns leave your context: what was tried, what was found, what is best. Your prompt lists the gists; read the content with memory_read. Replaces the note at that path; without content, only the gist is replaced. Notes under /global are shared by all sessions. The user can read and edit the notes.',
    effect: 'write',
    isOwnData: true,
    changesCode: false,
    isRepeatable: true,
    parameters: z.strictObject({
      path: z
        .string()
        .describe('Path of the note, such as /best, /observations/3 or /global/tricks.'),
      gist: z.string().min(1).describe('One line that summarizes the note.'),
      content: z.string().optional().describe('Content of the note, in Markdown.'),
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
