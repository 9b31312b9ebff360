import * as z from 'zod';
import type { MemoryStore } from '../../memory/memoryStore.ts';
import { isRecorded, recordedOrigin } from '../../memory/recordedNotes.ts';
import { defineTool, type Tool } from '../tool.ts';

export const memoryRead = (memory: Pick<MemoryStore, 'read'>): Tool =>
  defineTool({
    name: 'memory_read',
    description: 'Read a note of your memory.',
    effect: 'read',
    countedAs: 'note_read',
    parameters: z.strictObject({
      path: z.string().describe('Such as /best.'),
    }),
    describe: ({ path }) => `Read memory ${path}`,
    async execute({ path }) {
      const note = await memory.read(path);
      const { gist, content, type, updatedMs } = note;
      return {
        content: {
          path: note.path,
          gist,
          content,
          ...(content === null && gist !== '' && { note: 'The gist is all that this note holds.' }),
          type,
          updated_at: Math.round(updatedMs),
        },
        ...(isRecorded(note.path) && {
          origins: { gist: recordedOrigin, content: recordedOrigin },
        }),
        summary: gist,
      };
    },
  });
