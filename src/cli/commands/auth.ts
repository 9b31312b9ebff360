import { InvalidArgumentError } from 'commander';
import { homeAt } from '../../compose/home.ts';
import { login, logout, status } from '../auth/authCommands.ts';
import type { CliCommand } from '../command.ts';

const portHelp = `
The browser comes back to port 1455 of this computer. Where this is a computer that you reach by SSH, forward the
port first (ssh -L 1455:127.0.0.1:1455 HOST), or paste the address that the browser was sent to into the terminal.`;

export function declareAuth(helios: CliCommand): CliCommand {
  const auth = helios
    .command('auth')
    .summary('sign in to ChatGPT, and where the key of each provider comes from')
    .addHelpText('after', portHelp);
  auth
    .command('login')
    .summary('signs in to ChatGPT in a browser: models by your subscription')
    .argument('[provider]', 'chatgpt', signInProvider)
    .addHelpText('after', portHelp)
    .runs(({ deps, home }) => login(homeAt(home).authFolder, deps));
  auth
    .command('logout')
    .summary('forgets the sign-in')
    .argument('[provider]', 'chatgpt', signInProvider)
    .runs(({ deps, home }) => logout(homeAt(home).authFolder, deps));
  auth
    .command('status')
    .summary('lists every provider, and where its key or sign-in comes from')
    .option('--json', 'an array of the same')
    .runs(({ deps, home }, { json = false }: { readonly json?: boolean }) =>
      status(homeAt(home).authFolder, json, deps),
    );
  return auth;
}

function signInProvider(text: string): string {
  if (text === 'chatgpt') return text;
  throw new InvalidArgumentError(
    'A sign-in is there for chatgpt; every other provider takes a key: see helios auth status.',
  );
}
