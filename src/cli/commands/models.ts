import type { CliCommand } from '../command.ts';
import { runModelCommand, type ModelOptions } from '../models/modelCommand.ts';

export const declareModels = (helios: CliCommand): CliCommand =>
  helios
    .command('models')
    .summary('lists the models of every provider that can be called, with what they hold and cost')
    .option('-P, --provider <name>', 'only of this one')
    .option(
      '--refresh',
      'ask the providers anew; otherwise what they said within the hour is shown',
    )
    .option('--json', '{ "models": […], "problems": {…} }')
    .addHelpText(
      'after',
      `
A model is asked for with -m: by its id, as provider/id, or by its family (opus, sonnet, gpt, gpt-mini, codex, …), which
is the newest of it.`,
    )
    .runs(({ deps, home }, options: ModelOptions) => runModelCommand(options, home, deps));
