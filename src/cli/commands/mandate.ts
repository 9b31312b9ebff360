/** `helios mandate`: shows what the agent may do unattended in a folder. */
import { createHash } from 'node:crypto';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { messageOf, UserFacing } from '../../base/errors.ts';
import { projectsAt } from '../../compose/project.ts';
import { homeAt } from '../../compose/home.ts';
import { mandateReader, mandateText } from '../../compose/mandates.ts';
import type { CliCommand } from '../command.ts';
import { exitCodes } from '../cliDeps.ts';
import { visibleText } from '../screen/terminalText.ts';

export const declareMandate = (helios: CliCommand): CliCommand =>
  helios
    .command('mandate')
    .summary('show what the agent may do unattended in this folder')
    .description(
      'Prints the mandate that applies to this folder, and where it comes from. A mandate is a JSON file in ' +
        '~/.helios/mandates: folders, reads, machines, commands, programs, hosts and installs. Omitted fields ' +
        'are as in the built-in mandate. `for` lists the working folders to which it applies.',
    )
    .option('--init', 'write the built-in mandate as a file for this folder, to edit')
    .runs(async ({ deps, home }, { init = false }: { readonly init?: boolean }) => {
      const folder = homeAt(home).mandatesFolder;
      const workFolder = await realpath(deps.cwd);
      if (init) {
        const file = path.join(folder, nameFor(workFolder));
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeFile(file, mandateText(workFolder), { flag: 'wx', mode: 0o600 }).catch(
          (error: unknown) => {
            throw new UserFacing(`${file} was not written: ${messageOf(error)}`);
          },
        );
        deps.stdout.write(`Wrote ${file}\n`);
        return exitCodes.goal;
      }
      const project = await projectsAt(home, deps.homeFolder).read(workFolder);
      const { mandate, file, problem } = mandateReader({ mandatesFolder: folder })(
        workFolder,
        project,
      );
      if (problem !== undefined) throw new UserFacing(problem);
      deps.stdout.write(
        `${file ?? 'The built-in mandate. Change it with: helios mandate --init'}\n`,
      );
      deps.stdout.write(`${visibleText(JSON.stringify(mandate, undefined, 2))}\n`);
      return exitCodes.goal;
    });

/**
 * Returns a file name that begins with the name of the folder, and is different for each path (it
 * ends with a hash of the path).
 */
function nameFor(folder: string): string {
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 8);
  return `${path.basename(folder).replace(/[^\w.-]/g, '_')}-${hash}.json`;
}
