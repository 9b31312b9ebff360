/** `helios notify`: tests notifications, and stores their secrets. */
import { InvalidArgumentError } from 'commander';
import { UserFacing } from '../../base/errors.ts';
import { notifySecret, secretNamePattern } from '../../compose/notifications.ts';
import { projectsAt } from '../../compose/project.ts';
import { leftOutText } from '../../presentation/sessions/sessionText.ts';
import { trialNotification, trialText } from '../../compose/trial.ts';
import { homeAt } from '../../compose/home.ts';
import { secretStore } from '../../compose/secrets.ts';
import type { CliCommand, CommandContext } from '../command.ts';
import { settingsFor } from '../choose.ts';
import { withEngine } from '../commandEngine.ts';
import { readPreferences } from '../preferences.ts';
import { exitCodes } from '../cliDeps.ts';

export function declareNotify(helios: CliCommand): CliCommand {
  const notify = helios
    .command('notify')
    .summary('send a test notification; store a secret of a channel');
  notify
    .command('test')
    .summary(
      'send a notification to every channel of preferences.json and helios.json, and show the results',
    )
    .addHelpText(
      'after',
      '\nExit code: 0 every channel accepted the notification, 1 at least one channel did not.',
    )
    .runs(test);
  notify
    .command('secret')
    .summary('store the text on stdin for ${secret:NAME}, readable only by you')
    .argument('<name>', 'letters, digits, - and _, at most 40', secretName)
    .option('--delete', 'delete the secret')
    .runs(keepSecret);
  return notify;
}

function secretName(text: string): string {
  if (secretNamePattern.test(text)) return text;
  throw new InvalidArgumentError('Must consist of letters, digits, - and _, at most 40.');
}

async function test(context: CommandContext): Promise<number> {
  const { deps, home } = context;
  const project = await projectsAt(home).read(deps.cwd);
  if (project?.leftOut !== undefined) deps.stderr.write(`${leftOutText(project.leftOut)}\n`);
  const preferences = await readPreferences(
    home,
    (message) => void deps.stderr.write(`helios: ${message}\n`),
  );
  const settings = settingsFor(
    { model: undefined, effort: undefined },
    undefined,
    deps,
    preferences,
  );
  const results = await withEngine(
    context,
    (engine) => engine.notifier.try(trialNotification(deps.clock.now()), project),
    settings,
  );
  // Omits the channel of the VS Code window, which the command line cannot show.
  const shownResults = results.filter(({ channel }) => channel !== 'VS Code');
  if (shownResults.length === 0)
    throw new UserFacing(
      'No notification channel is configured.',
      'Add one in helios.json (helios init), or under "notifications" in preferences.json of the home folder.',
    );
  for (const result of shownResults)
    deps.stdout.write(
      `${result.problem === undefined ? 'ok   ' : 'no   '} ${result.channel}: ${trialText(result)}\n`,
    );
  return shownResults.every(({ problem }) => problem === undefined)
    ? exitCodes.goal
    : exitCodes.error;
}

async function keepSecret(
  { deps, home }: CommandContext,
  name: string,
  { delete: isGone = false }: { readonly delete?: boolean },
): Promise<number> {
  const keep = secretStore(homeAt(home).authFolder);
  const value = isGone ? undefined : await inputOf(deps.stdin);
  if (value === '')
    throw new UserFacing(
      'The secret is empty.',
      `Write it to stdin: helios notify secret ${name} < file`,
    );
  await keep(notifySecret(name), value);
  deps.stdout.write(isGone ? `Deleted the secret ${name}.\n` : `Stored the secret ${name}.\n`);
  return exitCodes.goal;
}

async function inputOf(stdin: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  stdin.setEncoding('utf8');
  for await (const chunk of stdin) text += String(chunk);
  return text.trim();
}
