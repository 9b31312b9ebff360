/**
 * Carries out `helios auth …`. Each function resolves with the exit code. Never prints a token or a
 * key.
 */
import { createInterface } from 'node:readline';
import { adviceOf } from '../../base/errors.ts';
import { createFetch } from '../../compose/network.ts';
import type { OpenSignIn } from '../../models/chatgpt/oauth.ts';
import { accountLabel, parseSignedIn, signedInText, tokensName } from '../../compose/signedIn.ts';
import { openSignIn, SignInCancelled } from '../../compose/signIn.ts';
import { authStatus, statusText } from './authStatus.ts';
import { networkFor } from '../choose.ts';
import { secretStore } from '../../compose/secrets.ts';
import { keyReader } from './keys.ts';
import { exitCodes, type CliDeps } from '../cliDeps.ts';

export async function login(authFolder: string, deps: CliDeps): Promise<number> {
  const { env, clock, stdout } = deps;
  const abort = new AbortController();
  const interrupts = deps.onInterrupt(() => abort.abort());
  try {
    const network = networkFor(env);
    const authUrl = network.chatgptAuthUrl;
    const options = {
      clock,
      authUrl,
      fetch: createFetch(() => network),
      ports: deps.callbackPorts,
    };
    const signIn = await openSignIn(options, abort.signal);
    await invite(signIn, deps);
    const stopPasting = takePasted(signIn, deps);
    const tokens = await signIn.done.finally(stopPasting);
    await secretStore(authFolder)(tokensName, signedInText(tokens));
    stdout.write(`Signed in as ${accountLabel(tokens)}. Use it with: helios -P chatgpt "…"\n`);
    return exitCodes.goal;
  } catch (error) {
    if (!(error instanceof SignInCancelled)) throw error;
    deps.stderr.write(`${error.message}\n`);
    return exitCodes.interrupted;
  } finally {
    interrupts.dispose();
  }
}

async function invite({ address, port }: OpenSignIn, deps: CliDeps): Promise<void> {
  const { stdout, stdin, env } = deps;
  stdout.write(`Sign in to ChatGPT at this address:\n\n${address}\n\n`);
  const isRemote = Boolean(env['SSH_CONNECTION']?.trim() || env['SSH_TTY']?.trim());
  const isOpened = !isRemote && (await deps.openBrowser(address));
  if (isRemote)
    stdout.write(
      `You are connected to this computer by SSH. Run this on your own computer, so that the browser can reach the sign-in:\n\n  ssh -L ${port}:127.0.0.1:${port} HOST\n\n`,
    );
  else if (!isOpened)
    stdout.write('The browser could not be opened. Open the address above in a browser.\n');
  if (stdin.isTTY === true)
    stdout.write(
      'If the last page of the sign-in does not load in the browser, paste its address here.\n',
    );
  stdout.write('Waiting for the sign-in …\n');
}

/**
 * Reads lines that the user pastes, and tries each as the callback address until the sign-in ends.
 * Returns a function that stops reading.
 */
function takePasted(signIn: OpenSignIn, { stdin, stderr }: CliDeps): () => void {
  if (stdin.isTTY !== true) return () => undefined;
  const lines = createInterface({ input: stdin, terminal: false });
  lines.on('line', (line) => {
    if (line.trim() === '') return;
    signIn.paste(line).catch((error: unknown) => stderr.write(`${adviceOf(error)}\n`));
  });
  return () => lines.close();
}

export async function logout(authFolder: string, { stdout }: CliDeps): Promise<number> {
  const tokensText = await keyReader({}, authFolder)(tokensName);
  if (tokensText === undefined) {
    stdout.write('You are not signed in to ChatGPT.\n');
    return exitCodes.goal;
  }
  await secretStore(authFolder)(tokensName, undefined);
  const tokens = parseSignedIn(tokensText);
  stdout.write(
    `Signed out of ChatGPT${tokens === undefined ? '' : ` (${accountLabel(tokens)})`}.\n`,
  );
  return exitCodes.goal;
}

export async function status(
  authFolder: string,
  isJson: boolean,
  { env, stdout }: CliDeps,
): Promise<number> {
  const rows = await authStatus(env, authFolder);
  stdout.write(
    isJson ? `${JSON.stringify(rows, null, 2)}\n` : statusText(rows, stdout.columns ?? pipeColumns),
  );
  return exitCodes.goal;
}

const pipeColumns = 160;
