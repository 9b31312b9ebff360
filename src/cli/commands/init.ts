/** `helios init`: a `helios.json` to begin with. */
import { createProjectFile } from '../../compose/project.ts';
import { defineCommand, readWords } from '../command.ts';
import { exitCodes } from '../world.ts';

const usage = 'helios init [--provider NAME] [--model NAME] [--machine ID]';

const help = `Usage: helios init [options]

Writes a helios.json into this folder: what the agent is told about the project, which metrics are read, where
reports go, and where you are told of what happens. It is never written over.

Options:
  -P, --provider NAME  who answers
  -m, --model NAME     of that provider
  --machine ID         the machine of calls that name none
`;

export const initCommand = defineCommand({
  name: 'init',
  usage: '[--provider NAME] [--model NAME] [--machine ID]',
  about: 'write a helios.json into this folder',
  help: () => help,
  parse(words) {
    const options = {
      provider: { type: 'string', short: 'P' },
      model: { type: 'string', short: 'm' },
      machine: { type: 'string' },
    } as const;
    return readWords(words, { options, maxWords: 0, usage }).values;
  },
  async run({ provider, model, machine }, { world }) {
    const file = await createProjectFile(world.cwd, {
      ...(provider !== undefined && { provider }),
      ...(model !== undefined && { model }),
      ...(machine !== undefined && { defaultMachine: machine }),
    });
    world.stdout.write(`Wrote ${file}\n`);
    return exitCodes.goal;
  },
});
