import type { KilledRun } from '../../agent/contract/sessions.ts';
import { placeText } from '../../presentation/sessions/placeText.ts';
import { runStatus, runTitle } from '../../presentation/runs/runText.ts';
import type { CliCommand } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { noRun, runNamed } from '../runReference.ts';
import { singleLine } from '../screen/terminalText.ts';
import { exitCodes } from '../cliDeps.ts';

export const declareKill = (helios: CliCommand): CliCommand =>
  helios
    .command('kill')
    .summary('end every process of a run, on any machine')
    .description(
      'Ends the run with all its processes: TERM, then KILL for those still running after 10 seconds. Its output ' +
        'and metrics are kept, and its end is recorded as killed. If its session is active, the session is notified ' +
        'and continues.',
    )
    .argument(
      '<run>',
      'machine:pid, machine:job, or a run id (helios replay and the views show them)',
    )
    .addHelpText('after', '\nExit code: 0 no process of the run is left, 1 some are still running.')
    .runs((context, reference: string) =>
      withEngine(context, async ({ sessions }) => {
        const place = await runNamed(sessions, reference);
        if (place === undefined) throw noRun(reference);
        const killed = await sessions.killRun(place);
        context.deps.stdout.write(`${singleLine(killedText(killed))}\n`);
        return killed.left.length === 0 ? exitCodes.goal : exitCodes.error;
      }),
    );

function killedText({ run, owner, liveness, left, isEscalated }: KilledRun): string {
  const name = runTitle(run.spec.number);
  if (left.length > 0) return `${name}: processes ${left.join(', ')} are still running.`;
  if (run.verdict !== undefined) return `${name} has already ended: ${runStatus(run)}.`;
  const how = isEscalated ? ' KILL was needed.' : '';
  if (owner !== undefined)
    return `${name} has ended.${how} Its session, ${placeText({ phase: 'acting' }, owner)}, records it.`;
  const recorded =
    liveness?.kind === 'ended'
      ? `recorded as ${runStatus({ ...run, verdict: liveness.verdict })}`
      : 'not recorded: its end is unknown yet';
  return `${name} has ended, ${recorded}.${how}`;
}
