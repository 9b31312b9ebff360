/** `helios init`: creates a `helios.json` to start with. */
import { createProjectFile } from '../../compose/project.ts';
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
    .summary('write a helios.json into this folder')
    .description(
      'Writes a helios.json into this folder: what the agent is told about the project, which metrics are ' +
        'read, where reports go, and where you are told of what happens. It is never written over.',
    )
    .option('-P, --provider <name>', 'who answers')
    .option('-m, --model <name>', 'of that provider')
    .option('--machine <id>', 'the machine of calls that name none')
    .runs(async ({ deps }, { provider, model, machine }: InitOptions) => {
      const file = await createProjectFile(deps.cwd, {
        ...(provider !== undefined && { provider }),
        ...(model !== undefined && { model }),
        ...(machine !== undefined && { defaultMachine: machine }),
      });
      deps.stdout.write(`Wrote ${file}\n`);
      return exitCodes.goal;
    });
