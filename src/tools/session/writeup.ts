import * as z from 'zod';
import { counted } from '../../base/text.ts';
import { defineTool, type Tool } from '../tool.ts';

export interface WriteupWriter {
  /** Writes the report, which contains `notes` and generated tables of measured values. */
  write(notes: string): Promise<{
    /** Absolute path of the report, on `local`. */
    readonly file: string;
    readonly brief: string;
    /** Numbers in the notes that no run has measured, spelled as in the notes. */
    readonly unmeasured: readonly string[];
  }>;
}

const maxNamed = 40;

export const writeup = (writer: WriteupWriter): Tool =>
  defineTool({
    name: 'writeup',
    description:
      'Write your account for the user: the idea, what was tried and found, what remains. It stands beside generated tables and charts: write what these do not show. Replaces the earlier account; unmeasured numbers are marked.',
    effect: 'write',
    isRepeatable: true,
    parameters: z.strictObject({
      notes: z.string().min(1).max(50_000).describe('Markdown. Name runs: run 7.'),
    }),
    aliases: { text: 'notes', content: 'notes' },
    describe: () => 'Write the report',
    async execute({ notes }) {
      const { file, brief, unmeasured } = await writer.write(notes);
      const marked =
        unmeasured.length === 0
          ? 'no number marked'
          : `${counted(unmeasured.length, 'number')} marked`;
      return {
        content: {
          file,
          brief,
          not_measured: unmeasured.slice(0, maxNamed),
          ...(unmeasured.length > 0 && {
            note: 'No run has measured the numbers in not_measured. They are marked in the report: correct them, or measure them in a run.',
          }),
        },
        summary: `writeup.md · ${marked}`,
        changedFiles: [file],
      };
    },
  });
