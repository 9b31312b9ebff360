import { InvalidArgumentError } from 'commander';
import { homeAt } from '../../compose/home.ts';
import { login, logout, status } from '../auth/authCommands.ts';
import type { CliCommand } from '../command.ts';

const portHelp = `
After the sign-in, the browser opens a page on port 1455 of this computer. If you are connected to this computer by
SSH, forward the port first (ssh -L 1455:127.0.0.1:1455 HOST), or paste the address of the page that does not load
into the terminal.`;

export function declareAuth(helios: CliCommand): CliCommand {
  const auth = helios
    .command('auth')
    .summary('sign in to ChatGPT; list the sources of keys')
    .addHelpText('after', portHelp);
  auth
    .command('login')
    .summary('sign in to ChatGPT in a browser, to use the models of your subscription')
    .argument('[provider]', 'chatgpt', signInProvider)
    .addHelpText('after', portHelp)
    .runs(({ deps, home }) => login(homeAt(home).authFolder, deps));
  auth
    .command('logout')
    .summary('sign out')
    .argument('[provider]', 'chatgpt', signInProvider)
    .runs(({ deps, home }) => logout(homeAt(home).authFolder, deps));
  auth
    .command('status')
    .summary('list every provider with the source of its key or sign-in')
    .option('--json', 'print a JSON array')
    .runs(({ deps, home }, { json = false }: { readonly json?: boolean }) =>
      status(homeAt(home).authFolder, json, deps),
    );
  return auth;
}

function signInProvider(text: string): string {
  if (text === 'chatgpt') return text;
  throw new InvalidArgumentError(
    'Only chatgpt has a sign-in. Other providers use a key: see helios auth status.',
  );
}
