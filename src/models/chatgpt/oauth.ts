/**
 * Sign-in to ChatGPT: the user agrees in a browser, the service redirects the browser to this
 * computer with a code, and the code is exchanged for tokens.
 */
import { createHash, randomBytes } from 'node:crypto';
import { adviceOf, HeliosError, toError, UserFacing } from '../../base/errors.ts';
import { cleanText, oneLine, formatDuration } from '../../base/text.ts';
import { CallbackServer, type CallbackPage } from './callbackServer.ts';
import {
  callbackPath,
  callbackPorts,
  clientId,
  defaultAuthUrl,
  originator,
  scope,
} from './codexService.ts';
import type { SignedIn } from './signedIn.ts';
import { exchangeCode, type AuthService } from './tokenEndpoint.ts';

export interface SignInOptions extends AuthService {
  /**
   * Ports for the redirect of the browser; the first free port is used. Default: the ports that the
   * service allows.
   */
  readonly ports?: readonly number[];
  /** Time that the user has to sign in. Default: 5 minutes. */
  readonly timeoutMs?: number;
}

/** A sign-in that waits for the user. */
export interface OpenSignIn {
  /** Address to open in a browser. */
  readonly address: string;
  /** Port on this computer that the browser is redirected to. */
  readonly port: number;
  /**
   * Accepts the address of the redirect, which the user pastes if the browser cannot reach this
   * computer. Resolves when the address is accepted. Rejects with `UserFacing` if the address does
   * not belong to this sign-in, which continues to wait.
   */
  paste(address: string): Promise<void>;
  /**
   * Resolves with the tokens when the user has signed in. Rejects with `UserFacing` or
   * `SignInCancelled`. The port is free afterwards.
   */
  readonly done: Promise<SignedIn>;
}

/** Thrown if the signal of the sign-in was aborted. */
export class SignInCancelled extends HeliosError {
  readonly reason = 'cancelled';

  constructor() {
    super('The sign-in was cancelled.');
  }
}

const defaultTimeoutMs = 5 * 60_000;

/** Starts a sign-in. Rejects with `UserFacing` if no port is free. */
export async function openSignIn(options: SignInOptions, signal: AbortSignal): Promise<OpenSignIn> {
  const attempt = new Attempt(options, signal);
  const server = await CallbackServer.listen(options.ports ?? callbackPorts, (parameters) =>
    attempt.take(parameters),
  );
  const { clock, timeoutMs = defaultTimeoutMs } = options;
  attempt.redirectUri = `http://localhost:${server.port}${callbackPath}`;
  const timer = clock.after(timeoutMs, () => attempt.fail(tooLate(timeoutMs)));
  const onAbort = (): void => attempt.fail(new SignInCancelled());
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const done = attempt.done.finally(() => {
    timer.dispose();
    signal.removeEventListener('abort', onAbort);
    server.close();
  });
  // Prevents an unhandled rejection if the caller awaits `done` only later.
  done.catch(() => undefined);
  return {
    address: attempt.address,
    port: server.port,
    paste: (address) => attempt.paste(address),
    done,
  };
}

class Attempt {
  readonly #options: SignInOptions;
  readonly #state = randomBytes(32).toString('hex');
  readonly #verifier = randomBytes(32).toString('base64url');
  readonly #outcome = Promise.withResolvers<SignedIn>();
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  /**
   * Whether a valid redirect has arrived or the sign-in has failed; later redirects are ignored.
   */
  #isTaken = false;
  redirectUri = '';

  constructor(options: SignInOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = AbortSignal.any([signal, this.#over.signal]);
  }

  get done(): Promise<SignedIn> {
    return this.#outcome.promise;
  }

  get address(): string {
    const parameters = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: this.redirectUri,
      scope,
      code_challenge: createHash('sha256').update(this.#verifier).digest('base64url'),
      code_challenge_method: 'S256',
      id_token_add_organizations: 'true',
      codex_cli_simplified_flow: 'true',
      state: this.#state,
      originator,
    });
    return `${this.#options.authUrl ?? defaultAuthUrl}/oauth/authorize?${parameters}`;
  }

  fail(error: Error): void {
    this.#isTaken = true;
    this.#outcome.reject(error);
    this.#over.abort();
  }

  async paste(address: string): Promise<void> {
    const parameters = parametersOf(address);
    if (parameters === undefined) throw notAnAnswer();
    const { status, title, text } = await this.take(parameters);
    if (status === 400) throw new UserFacing(`${title}.`, text);
  }

  /**
   * Handles a redirect. Ignores a redirect with another state, which any program on this computer
   * could send.
   */
  async take(parameters: URLSearchParams): Promise<CallbackPage> {
    if (parameters.get('state') !== this.#state) return pages.foreign;
    if (this.#isTaken) return pages.repeated;
    this.#isTaken = true;
    try {
      const tokens = await this.#tokensFor(parameters);
      this.#outcome.resolve(tokens);
      return pages.done;
    } catch (error) {
      this.#outcome.reject(toError(error));
      return { status: 409, title: 'Not signed in', text: adviceOf(error) };
    }
  }

  async #tokensFor(parameters: URLSearchParams): Promise<SignedIn> {
    const error = parameters.get('error');
    if (error !== null) throw denied(error, parameters.get('error_description') ?? '');
    const code = parameters.get('code');
    if (!code) throw new UserFacing('The sign-in service returned no code.', 'Try again.');
    const grant = { code, verifier: this.#verifier, redirectUri: this.redirectUri };
    try {
      return await exchangeCode(this.#options, grant, this.#signal);
    } catch (failure) {
      throw new UserFacing(`The sign-in was not completed. ${adviceOf(failure)}`, 'Try again.');
    }
  }
}

/**
 * Returns the parameters of an address. The text may also be only the part after the question mark.
 */
function parametersOf(text: string): URLSearchParams | undefined {
  const query = text
    .trim()
    .replace(/^[^?]*\?/, '')
    .replace(/#.*$/, '');
  const parameters = new URLSearchParams(query);
  return parameters.has('state') && (parameters.has('code') || parameters.has('error'))
    ? parameters
    : undefined;
}

const pages = {
  done: {
    status: 200,
    title: 'Signed in',
    text: 'Helios can use your ChatGPT subscription now. You can close this tab.',
  },
  foreign: {
    status: 400,
    title: 'This response does not belong to the current sign-in',
    text: 'Start the sign-in again, and use the newest browser tab.',
  },
  repeated: {
    status: 409,
    title: 'This sign-in has already ended',
    text: 'Nothing was changed. You can close this tab.',
  },
} as const satisfies Readonly<Record<string, CallbackPage>>;

const maxReasonChars = 200;

const denied = (error: string, description: string): UserFacing =>
  new UserFacing(
    error === 'access_denied'
      ? 'The sign-in was declined.'
      : `The sign-in service refused: ${oneLine(cleanText(description || error), maxReasonChars)}.`,
    'Sign in again, and allow Helios to use your account.',
  );

const notAnAnswer = (): UserFacing =>
  new UserFacing(
    'This is not the address that the browser was redirected to.',
    `Copy the whole address from the address bar, even if the page could not be shown. It begins with http://localhost and contains ${callbackPath}?code=… and state=….`,
  );

const tooLate = (timeoutMs: number): UserFacing =>
  new UserFacing(
    `The sign-in timed out after ${formatDuration(timeoutMs)}.`,
    'Start the sign-in again.',
  );
