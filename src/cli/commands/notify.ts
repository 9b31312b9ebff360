/** `helios notify`: whether notifications arrive, and the secrets that they need. */
import { UserFacing } from '../../base/errors.ts';
import { notifySecret, secretNamePattern } from '../../compose/notifications.ts';
import { readProjectFile } from '../../compose/project.ts';
import { trialNotification, trialText } from '../../compose/trial.ts';
import { homeAt } from '../../compose/home.ts';
import { secretStore } from '../../compose/secrets.ts';
import { defineCommand, readWords, type CommandContext } from '../command.ts';
import { settingsFor } from '../choose.ts';
import { withEngine } from '../commandEngine.ts';
import { readPreferences } from '../preferences.ts';
import { exitCodes } from '../world.ts';

const usage = 'helios notify test, or helios notify secret NAME [--delete].';

const help = `Usage: helios notify test
       helios notify secret NAME [--delete]

  test           sends a notification to every channel of preferences.json and of the project's helios.json, and says
                 what became of each; the exit code is 1 when one did not take it
  secret NAME    keeps what is written to its input for \${secret:NAME}, for your eyes only

Options:
  --home FOLDER  (default: HELIOS_HOME, or ~/.helios)
`;

type Options = { readonly kind: 'test' } | { readonly kind: 'secret'; readonly name: string; readonly isGone: boolean };

export const notifyCommand = defineCommand({
  name: 'notify',
  usage: 'test|secret',
  about: 'send a test notification; keep a secret of a channel',
  help: () => help,
  needsWords: ['notify'],
  parse(words): Options {
    const { values, positionals } = readWords(words, { options: { delete: { type: 'boolean' } }, maxWords: 2, usage });
    const [kind, name] = positionals;
    if (kind === 'test' && name === undefined) return { kind };
    if (kind !== 'secret' || name === undefined)
      throw new UserFacing('It is not clear what is to be done.', `Write ${usage}`);
    if (!secretNamePattern.test(name))
      throw new UserFacing(`“${name}” cannot be the name of a secret.`, 'Letters, digits, - and _, 40 at most.');
    return { kind, name, isGone: values.delete === true };
  },
  run: (options, context) => (options.kind === 'test' ? test(context) : keepSecret(options, context)),
});

async function test(context: CommandContext): Promise<number> {
  const { world, home } = context;
  const project = await readProjectFile(world.cwd);
  const preferences = await readPreferences(home, (message) => void world.stderr.write(`helios: ${message}\n`));
  const settings = settingsFor({ isYes: false, model: undefined, effort: undefined }, undefined, world, preferences);
  const results = await withEngine(
    context,
    (engine) => engine.notifier.try(trialNotification(world.clock.now()), project),
    settings,
  );
  // The window is VS Code's own.
  const shown = results.filter(({ channel }) => channel !== 'VS Code');
  if (shown.length === 0)
    throw new UserFacing(
      'No channel is set.',
      'Name one in helios.json (helios init), or under "notifications" in preferences.json of the home folder.',
    );
  for (const result of shown)
    world.stdout.write(`${result.problem === undefined ? 'ok   ' : 'no   '} ${result.channel}: ${trialText(result)}\n`);
  return shown.every(({ problem }) => problem === undefined) ? exitCodes.goal : exitCodes.error;
}

async function keepSecret(
  { name, isGone }: Extract<Options, { kind: 'secret' }>,
  { world, home }: CommandContext,
): Promise<number> {
  const keep = secretStore(homeAt(home).authFolder);
  const value = isGone ? undefined : await inputOf(world.stdin);
  if (value === '')
    throw new UserFacing('The secret is empty.', `Write it to the input: helios notify secret ${name} < file`);
  await keep(notifySecret(name), value);
  world.stdout.write(isGone ? `The secret ${name} is gone.\n` : `The secret ${name} is kept.\n`);
  return exitCodes.goal;
}

async function inputOf(stdin: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  stdin.setEncoding('utf8');
  for await (const chunk of stdin) text += String(chunk);
  return text.trim();
}
