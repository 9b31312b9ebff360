import * as z from 'zod';
import type { MemoryStore } from '../../memory/memoryStore.ts';
import { defineTool, type Tool } from '../tool.ts';

/** Names the numbers of a text that no run measured; empty if there are none. */
export type FindUnmeasured = (text: string) => string;

export const memoryWrite = (
  memory: Pick<MemoryStore, 'write'>,
  findUnmeasured: FindUnmeasured,
): Tool =>
  defineTool({
    name: 'memory_write',
    description:
      'Write a note that remains when older turns leave your context. Replaces the note at that path; without content, only its gist.',
    effect: 'write',
    countedAs: 'note',
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
      const unmeasured = findUnmeasured(`${gist}\n${content ?? ''}`);
      return {
        content: {
          ok: true,
          path: note.path,
          gist: note.gist,
          ...(unmeasured !== '' && { unmeasured: `${unmeasured}.` }),
        },
        summary: unmeasured === '' ? note.gist : `${note.gist} · ${unmeasured}`,
        ...(note.file !== undefined && { changedFiles: [note.file] }),
      };
    },
  });
