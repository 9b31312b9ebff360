/** `helios init`: creates a first `helios.json`. */
import { projectsAt } from '../../compose/project.ts';
import type { CliCommand } from '../command.ts';
import { exitCodes } from '../cliDeps.ts';

interface InitOptions {
  readonly provider?: string;
  readonly model?: string;
  readonly machine?: string;
}

export const declareInit = (helios: CliCommand): CliCommand =>
  helios
    .command('init')
    .summary('create a helios.json in this folder')
    .description(
      'Creates a helios.json in this folder: instructions for the agent, which metrics to ' +
        'read, the folder of reports, and notifications. Never overwrites an existing file.',
    )
    .option('-P, --provider <name>', 'model provider')
    .option('-m, --model <name>', 'model of that provider')
    .option('--machine <id>', 'default machine')
    .runs(async ({ deps, home }, { provider, model, machine }: InitOptions) => {
      const file = await projectsAt(home, deps.homeFolder).create(deps.cwd, {
        ...(provider !== undefined && { provider }),
        ...(model !== undefined && { model }),
        ...(machine !== undefined && { defaultMachine: machine }),
      });
      deps.stdout.write(`Wrote ${file}\n`);
      return exitCodes.goal;
    });
