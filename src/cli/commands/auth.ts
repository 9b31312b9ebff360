import { homeAt } from '../../compose/home.ts';
import { login, logout, status } from '../auth/authCommands.ts';
import { deleteKey, keyPlace, storeKey } from '../auth/storedKeys.ts';
import type { CliCommand } from '../command.ts';

const portHelp = `
After the sign-in, the browser opens a page on port 1455 of this computer. If you are connected to this computer by
SSH, forward the port first (ssh -L 1455:127.0.0.1:1455 HOST), or paste the address of the page that does not load
into the terminal.`;

export function declareAuth(helios: CliCommand): CliCommand {
  const auth = helios
    .command('auth')
    .summary('sign in to ChatGPT; store the key of a provider; list the sources of keys')
    .addHelpText('after', portHelp);
  auth
    .command('login')
    .summary('store the key of a provider, or sign in to ChatGPT in a browser')
    .argument('[provider]', providerWords, 'chatgpt')
    .addHelpText('after', portHelp)
    .runs(async ({ deps, home }, name: string) => {
      const { authFolder } = homeAt(home);
      if (name === 'chatgpt') return login(authFolder, deps);
      return storeKey(await keyPlace(name, home, deps), authFolder, deps);
    });
  auth
    .command('logout')
    .summary('sign out of ChatGPT, or delete the stored key of a provider')
    .argument('[provider]', providerWords, 'chatgpt')
    .runs(async ({ deps, home }, name: string) => {
      const { authFolder } = homeAt(home);
      if (name === 'chatgpt') return logout(authFolder, deps);
      return deleteKey(await keyPlace(name, home, deps), authFolder, deps);
    });
  auth
    .command('status')
    .summary('list every provider with the source of its key or sign-in')
    .option('--json', 'print a JSON array')
    .runs(({ deps, home }, { json = false }: { readonly json?: boolean }) =>
      status(homeAt(home).authFolder, json, deps),
    );
  return auth;
}

const providerWords = 'chatgpt, another provider, or the id of an endpoint';
