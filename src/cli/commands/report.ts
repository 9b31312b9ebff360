import { defineCommand, readWords } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { namedSession } from '../sessionReference.ts';
import { exitCodes } from '../world.ts';

const usage = 'helios report [SESSION] [--write]';

export const reportCommand = defineCommand({
  name: 'report',
  usage: '[SESSION] [--write]',
  about: 'the brief of a session: what was reached, tried and spent, and what is to be decided',
  help: () => `Usage: ${usage}

Prints the brief of a session as Markdown: the newest, or the one whose id, the beginning of it, or number in
helios sessions is given. Also while it works, in whatever window. It is made of what was recorded; no model is asked.

Options:
  --write          writes brief.md, writeup.md and their charts into the folder that the session works in, and prints
                   their paths; a file that you have changed stays, and the new one goes beside it
  --home FOLDER    (default: HELIOS_HOME, or ~/.helios)
`,
  parse(words) {
    const options = { write: { type: 'boolean', default: false } } as const;
    const { values, positionals } = readWords(words, { options, maxWords: 1, usage });
    return { isWriting: values.write, reference: positionals[0] };
  },
  run: ({ isWriting, reference }, context) =>
    withEngine(context, async ({ sessions, reports }) => {
      const { id } = await namedSession(sessions, reference);
      const { stdout } = context.world;
      if (isWriting) {
        const { brief, file } = await reports.writeup(id);
        stdout.write(`${brief}\n${file}\n`);
      } else stdout.write(await reports.brief(id));
      return exitCodes.goal;
    }),
});
