/**
 * Signing in to ChatGPT: the user says yes in a browser, which comes back to this computer with a
 * code for tokens.
 */
import { createHash, randomBytes } from 'node:crypto';
import { adviceOf, HeliosError, toError, UserFacing } from '../../base/errors.ts';
import { cleanText, oneLine } from '../../base/text.ts';
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
   * Where the browser may come back to; the first that is free is taken. Those of the service
   * unless told.
   */
  readonly ports?: readonly number[];
  /** How long the user may take; 5 minutes unless told. */
  readonly timeoutMs?: number;
}

/** A sign-in that waits for its user. */
export interface OpenSignIn {
  /** To be opened in a browser. */
  readonly address: string;
  /** Of this computer, where the browser comes back to. */
  readonly port: number;
  /**
   * The address that the browser was sent back to, by hand: for a browser that cannot reach this
   * computer. Resolves when it was taken. Rejects with `UserFacing` when it is not an answer to
   * this sign-in, which then goes on waiting.
   */
  paste(address: string): Promise<void>;
  /** Rejects with `UserFacing`, or with `SignInCancelled`; nothing is left open then. */
  readonly done: Promise<SignedIn>;
}

/** The signal of the sign-in was aborted. */
export class SignInCancelled extends HeliosError {
  readonly reason = 'cancelled';

  constructor() {
    super('The sign-in was cancelled.');
  }
}

const defaultTimeoutMs = 5 * 60_000;

/** Rejects with `UserFacing` when no port is free. */
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
  // Whoever opens a sign-in may look at its end later.
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
  /** The one callback that counts has come, or it is too late for one. */
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
   * One with another state is not ours, and changes nothing: anybody on this computer could send
   * it.
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
    if (!code) throw new UserFacing('The sign-in came back without a code.', 'Try again.');
    const grant = { code, verifier: this.#verifier, redirectUri: this.redirectUri };
    try {
      return await exchangeCode(this.#options, grant, this.#signal);
    } catch (failure) {
      throw new UserFacing(`The sign-in was not completed. ${adviceOf(failure)}`, 'Try again.');
    }
  }
}

/** The whole address, or what stands behind its question mark. */
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
    title: 'This is not the answer to the sign-in that is open',
    text: 'Start the sign-in once more, and use the newest tab of the browser.',
  },
  repeated: {
    status: 409,
    title: 'This sign-in is over already',
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
    'This is not the address that the browser was sent back to.',
    `It begins with http://localhost, and holds ${callbackPath}?code=… and state=…: copy it whole from the address line, also when the page itself could not be shown.`,
  );

const tooLate = (timeoutMs: number): UserFacing =>
  new UserFacing(
    `Nobody signed in within ${Math.round(timeoutMs / 60_000)} minutes.`,
    'Start the sign-in again.',
  );
