import { defineCommand } from '../command.ts';
import { modelHelp, parseModelOptions } from '../models/modelArguments.ts';
import { runModelCommand } from '../models/modelCommand.ts';

export const modelsCommand = defineCommand({
  name: 'models',
  usage: '[--provider NAME]',
  about: 'models of every provider, with what they hold and cost (--refresh, --json)',
  help: () => modelHelp,
  parse: parseModelOptions,
  run: (options, { home, world }) => runModelCommand(options, home, world),
});
