/** `helios auth …`: whether the words are about signing in, and what is to be done. */
import { UserFacing } from '../base/errors.ts';
import { takeHome } from './machineArguments.ts';

export interface AuthArguments {
  /** What stands behind `auth`, without the options. */
  readonly words: readonly string[];
  readonly home: string | undefined;
  readonly isJson: boolean;
  readonly isHelp: boolean;
}

/** `undefined` when they are not: the first word says so. A goal that begins with it is written in quotes. */
export function authArguments(argv: readonly string[]): AuthArguments | undefined {
  const { rest, home } = takeHome(argv);
  const [first, ...words] = rest;
  if (first !== 'auth') return undefined;
  return {
    words: words.filter((word) => word !== '--json'),
    home,
    isJson: words.includes('--json'),
    isHelp: words.length === 0 || words.includes('--help') || words.includes('-h'),
  };
}

export type AuthAction = 'login' | 'logout' | 'status';

/** Throws `UserFacing`. */
export function authAction({ words, isJson }: AuthArguments): AuthAction {
  const [action, provider = 'chatgpt', ...more] = words;
  if (action !== 'login' && action !== 'logout' && action !== 'status')
    throw new UserFacing(`helios auth does not know “${action ?? ''}”.`, 'It knows login, logout and status.');
  if (more.length > 0 || (action === 'status' && words.length > 1))
    throw new UserFacing(`helios auth ${action} does not know “${words.at(-1)}”.`, 'See helios auth --help.');
  if (provider !== 'chatgpt')
    throw new UserFacing(
      `There is no sign-in to “${provider}”.`,
      'A sign-in is there for chatgpt; every other provider takes a key: see helios auth status.',
    );
  if (isJson && action !== 'status')
    throw new UserFacing(`helios auth ${action} has no --json.`, 'helios auth status --json says who is signed in.');
  return action;
}

export const authHelp =
  (): string => `Usage: helios auth login [chatgpt]   sign in to ChatGPT in a browser: models by your subscription
       helios auth logout [chatgpt]  forget the sign-in
       helios auth status [--json]   every provider, and where its key or sign-in comes from

The browser comes back to port 1455 of this computer. Where this is a computer that you reach by SSH, forward the
port first (ssh -L 1455:127.0.0.1:1455 HOST), or paste the address that the browser was sent to into the terminal.

  --home FOLDER            where keys and the sign-in are kept (default: HELIOS_HOME, or ~/.helios)
`;
