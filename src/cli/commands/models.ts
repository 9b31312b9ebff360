import type { CliCommand } from '../command.ts';
import { runModelCommand, type ModelOptions } from '../models/modelCommand.ts';

export const declareModels = (helios: CliCommand): CliCommand =>
  helios
    .command('models')
    .summary('list the models of every available provider, with context size and price')
    .option('-P, --provider <name>', 'only this provider')
    .option(
      '--refresh',
      'query the providers again instead of using their answers of the last hour',
    )
    .option('--json', 'print JSON: { "models": […], "problems": {…} }')
    .addHelpText(
      'after',
      `
Choose a model with -m: by its id, as provider/id, or by its family (opus, sonnet, gpt, gpt-mini, codex, …), which
stands for its newest model.`,
    )
    .runs(({ deps, home }, options: ModelOptions) => runModelCommand(options, home, deps));
