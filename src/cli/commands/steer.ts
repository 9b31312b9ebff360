/** Commands that steer a session which another terminal, a window or the background works on. */
import type { SessionRequest } from '../../agent/contract/requests.ts';
import type { CliCommand, CommandContext } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { namedSession, sessionWords } from '../sessionReference.ts';
import { singleLine } from '../screen/terminalText.ts';
import { budgetRequest, requestOf } from '../steerLine.ts';
import { exitCodes } from '../cliDeps.ts';

const elsewhere =
  'Works for a session of another terminal, of a window or of the background, within about a second.';

export const declareSay = (helios: CliCommand): CliCommand =>
  steering(helios, 'say', 'send a message to a session')
    .argument('<words...>', 'the message, or a command such as "/target val_loss < 0.3"')
    .runs((context, session: string, words: readonly string[]) =>
      send(context, session, requestOf(words.join(' '))),
    );

export const declareAnswer = (helios: CliCommand): CliCommand =>
  steering(helios, 'answer', 'answer a question of a session')
    .argument('<question>', 'the question, such as q1')
    .argument('<words...>', 'the answer')
    .runs((context, session: string, question: string, words: readonly string[]) =>
      send(context, session, { kind: 'answer', question, answer: words.join(' ') }),
    );

export const declarePin = (helios: CliCommand): CliCommand =>
  steering(helios, 'pin', 'pin a sticky note that the model always sees')
    .argument('[words...]', 'the note')
    .option('--remove <number>', 'remove the sticky note with this number instead')
    .runs(
      (
        context,
        session: string,
        words: readonly string[],
        { remove }: { readonly remove?: string },
      ) =>
        send(
          context,
          session,
          remove === undefined
            ? { kind: 'pin', text: words.join(' ') }
            : { kind: 'unpin', number: Number(remove) },
        ),
    );

export const declareRename = (helios: CliCommand): CliCommand =>
  steering(helios, 'rename', 'name a session; without a title, the goal names it again')
    .argument('[title...]', 'the title')
    .runs((context, session: string, words: readonly string[]) =>
      send(context, session, { kind: 'rename', title: words.join(' ') }),
    );

export const declarePause = (helios: CliCommand): CliCommand =>
  steering(helios, 'pause', 'pause a session until the next message; its runs continue').runs(
    (context, session: string) => send(context, session, { kind: 'pause' }),
  );

export const declareStop = (helios: CliCommand): CliCommand =>
  steering(helios, 'stop', 'end a session; its runs continue')
    .option('--kill-runs', 'also end its runs')
    .runs((context, session: string, { killRuns }: { readonly killRuns?: boolean }) =>
      send(context, session, { kind: 'stop', killRuns: killRuns === true }),
    );

export const declareBudget = (helios: CliCommand): CliCommand =>
  steering(helios, 'budget', 'change the limits of a session; other limits stay unchanged')
    .argument('<limits...>', 'the limits, such as "$5, 2 h" or "40 turns, $0.50 per experiment"')
    .runs((context, session: string, words: readonly string[]) =>
      send(context, session, budgetRequest(words.join(' '))),
    );

export const declareModel = (helios: CliCommand): CliCommand =>
  steering(helios, 'model', 'change the model of a session from its next call on')
    .argument('<model>', 'id or alias; helios models lists them')
    .option('-P, --provider <id>', 'provider of the model')
    .runs((context, session: string, model: string, { provider }: { readonly provider?: string }) =>
      send(context, session, { kind: 'model', model, provider }),
    );

const steering = (helios: CliCommand, name: string, summary: string): CliCommand =>
  helios
    .command(name)
    .summary(summary)
    .description(`${(summary[0] ?? '').toUpperCase()}${summary.slice(1)}. ${elsewhere}`)
    .argument('<session>', sessionWords);

const send = (
  context: CommandContext,
  reference: string,
  request: SessionRequest,
): Promise<number> =>
  withEngine(context, async ({ sessions, requests }) => {
    const { id } = await namedSession(sessions, reference);
    context.deps.stdout.write(`${singleLine(await requests.send(id, request))}\n`);
    return exitCodes.goal;
  });
