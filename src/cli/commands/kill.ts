import type { KilledRun } from '../../agent/contract/sessions.ts';
import { placeText } from '../../presentation/sessions/placeText.ts';
import { handleOf, verdictText } from '../../presentation/runs/runText.ts';
import type { CliCommand } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { noRun, runNamed } from '../runReference.ts';
import { exitCodes } from '../cliDeps.ts';

export const declareKill = (helios: CliCommand): CliCommand =>
  helios
    .command('kill')
    .summary('ends every process of a run, on whatever machine it is')
    .description(
      'Ends the run with all its processes: TERM, then KILL for those that are left after 10 seconds. What it ' +
        'has printed and measured is kept, and its end is recorded as killed. A session that works on it hears ' +
        'of the end and goes on; with nobody at work on the session, the end is recorded at once.',
    )
    .argument(
      '<run>',
      'machine:pid, machine:job, or a run id (helios replay and the views show them)',
    )
    .addHelpText('after', '\nExit code: 0 nothing of the run is left, 1 something is.')
    .runs((context, reference: string) =>
      withEngine(context, async ({ sessions }) => {
        const place = await runNamed(sessions, reference);
        if (place === undefined) throw noRun(reference);
        const killed = await sessions.killRun(place);
        context.deps.stdout.write(`${killedText(killed)}\n`);
        return killed.left.length === 0 ? exitCodes.goal : exitCodes.error;
      }),
    );

function killedText({ run, owner, liveness, left, isEscalated }: KilledRun): string {
  const { spec, process, verdict } = run;
  const name = `Run ${spec.number} (${handleOf(spec, process) ?? spec.id})`;
  if (left.length > 0) return `${name}: processes ${left.join(', ')} are still there.`;
  if (verdict !== undefined) return `${name} was over already: ${verdictText(verdict)}.`;
  const how = isEscalated ? ' It took KILL.' : '';
  if (owner !== undefined)
    return `${name} is ended.${how} Its session, ${placeText({ phase: 'acting' }, owner)}, records it.`;
  const recorded =
    liveness?.kind === 'ended'
      ? `recorded as ${verdictText(liveness.verdict)}`
      : 'not recorded: its end is not known yet';
  return `${name} is ended, ${recorded}.${how}`;
}
