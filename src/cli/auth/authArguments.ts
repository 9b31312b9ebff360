/** `helios auth …`: what is to be done about signing in. */
import { UserFacing } from '../../base/errors.ts';
import { readWords } from '../command.ts';

export interface AuthArguments {
  /** What stands behind `auth`, without the options. */
  readonly words: readonly string[];
  readonly isJson: boolean;
}

const usage = 'helios auth login, helios auth logout, or helios auth status [--json].';

/** Throws `UserFacing` with what is understood. */
export function authArguments(words: readonly string[]): AuthArguments {
  const options = { json: { type: 'boolean', default: false } } as const;
  const { values, positionals } = readWords(words, { options, maxWords: Infinity, usage });
  return { words: positionals, isJson: values.json };
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
