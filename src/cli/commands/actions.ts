import { actionsText } from '../../presentation/sessions/actionsText.ts';
import { exitCodes } from '../cliDeps.ts';
import type { CliCommand } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { namedSession, sessionWords } from '../sessionReference.ts';

export const declareActions = (helios: CliCommand): CliCommand =>
  helios
    .command('actions')
    .summary('list what a session did: commands, files, hosts (default: the newest)')
    .description(
      'Lists the commands that a session ran, the files that it wrote, the hosts that it reached, and the calls ' +
        'that were refused, each with the decision and its reason.',
    )
    .argument('[session]', `${sessionWords} (default: the newest)`)
    .option(
      '--json',
      'print JSON: goal, startedMs, actions [callId, atMs, turn, tool, decision, commands, writes, hosts, …]',
    )
    .runs((context, reference: string | undefined, { json }: { readonly json?: boolean }) =>
      withEngine(context, async ({ sessions }) => {
        const { id } = await namedSession(sessions, reference);
        const did = await sessions.actions(id);
        context.deps.stdout.write(
          json === true ? `${JSON.stringify(did, undefined, 2)}\n` : actionsText(did).text,
        );
        return exitCodes.goal;
      }),
    );
