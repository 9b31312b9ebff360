/**
 * Requests to the token endpoint, which exchanges the code of a sign-in, or a refresh token, for
 * tokens.
 */
import * as z from 'zod';
import type { Clock } from '../../base/clock.ts';
import { adviceOf, HeliosError } from '../../base/errors.ts';
import { cleanText, oneLine } from '../../base/text.ts';
import { claimsOf } from './claims.ts';
import { clientId, defaultAuthUrl } from './codexService.ts';
import type { SignedIn } from './signedIn.ts';

export interface AuthService {
  readonly clock: Clock;
  /** Address of the sign-in service. Default: that of OpenAI. */
  readonly authUrl?: string | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/**
 * No tokens were granted. `isFinal` is true if the service refused the code or token permanently,
 * and false if the service failed or could not be reached.
 */
export class TokensRefused extends HeliosError {
  readonly reason = 'tokens_refused';
  readonly isFinal: boolean;
  readonly status: number | undefined;

  constructor(
    message: string,
    { isFinal, status }: { readonly isFinal: boolean; readonly status?: number },
  ) {
    super(message);
    this.isFinal = isFinal;
    this.status = status;
  }
}

export interface CodeGrant {
  readonly code: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

/** Exchanges the code of a sign-in for tokens. Throws `TokensRefused`. */
export async function exchangeCode(
  service: AuthService,
  { code, verifier, redirectUri }: CodeGrant,
  signal: AbortSignal,
): Promise<SignedIn> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });
  const granted = await ask(service, { body, signal, secrets: [code, verifier] });
  return signedIn(granted, service);
}

/**
 * Exchanges old tokens for new ones. Afterwards the old refresh token is no longer valid. Throws
 * `TokensRefused`.
 */
export async function refreshTokens(
  service: AuthService,
  old: SignedIn,
  signal: AbortSignal,
): Promise<SignedIn> {
  const body = {
    client_id: clientId,
    grant_type: 'refresh_token',
    refresh_token: old.refreshToken,
  };
  const granted = await ask(service, {
    body,
    signal,
    secrets: [old.refreshToken, old.accessToken],
  });
  return signedIn(granted, service, old);
}

const grantShape = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  id_token: z.string().optional(),
  expires_in: z.number().positive().optional(),
});
type Granted = z.infer<typeof grantShape>;

interface Question {
  readonly body: URLSearchParams | Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Texts to remove from error messages of the service. */
  readonly secrets: readonly string[];
}

async function ask(service: AuthService, question: Question): Promise<Granted> {
  const { status, text } = await send(service, question);
  const answer = parsed(text);
  if (status !== 200) throw refusal(status, answer, question);
  const { data } = grantShape.safeParse(answer);
  if (data === undefined)
    throw new TokensRefused('The sign-in service answered without tokens.', {
      isFinal: false,
      status,
    });
  return data;
}

async function send(
  { authUrl = defaultAuthUrl, fetch = globalThis.fetch }: AuthService,
  { body, signal }: Question,
): Promise<{ readonly status: number; readonly text: string }> {
  const [text, type] =
    body instanceof URLSearchParams
      ? [body.toString(), 'application/x-www-form-urlencoded']
      : [JSON.stringify(body), 'application/json'];
  try {
    const response = await fetch(`${authUrl}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: text,
      signal,
      redirect: 'error',
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new TokensRefused(
      `The sign-in service ${authUrl} cannot be reached: ${adviceOf(cause)}`,
      {
        isFinal: false,
      },
    );
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const optionalText = z.string().optional().catch(undefined);
const errorShape = z.object({
  error: z
    .union([
      z.string(),
      z.object({ code: optionalText, type: optionalText, message: optionalText }),
    ])
    .optional(),
  error_description: optionalText,
});

const maxReasonChars = 200;
const isBadGrant = /invalid_grant|refresh_token_(expired|reused|invalidated|revoked)|token_expired/;

/**
 * Builds the error for a refusal. Status 401 is always final; other statuses are final only with
 * certain error codes, since a misconfigured proxy also answers 400 or 403.
 */
function refusal(status: number, answer: unknown, { secrets }: Question): TokensRefused {
  const { error, error_description: description } = errorShape.safeParse(answer).data ?? {};
  const { code, type, message } =
    typeof error === 'object' ? error : { code: error, type: undefined, message: '' };
  const words = [code ?? type, description ?? message].filter(Boolean).join(': ');
  const reason = secrets.reduce((text, secret) => text.replaceAll(secret, '[secret]'), words);
  const isFinal = status === 401 || (status < 500 && isBadGrant.test(words));
  const text = `The sign-in service answered ${status}${reason === '' ? '' : `: ${oneLine(cleanText(reason), maxReasonChars)}`}.`;
  return new TokensRefused(text, { isFinal, status });
}

/** Assumed lifetime of an access token whose expiry is not reported. */
const assumedLifeMs = 60 * 60_000;

/**
 * Builds the tokens from the service's answer. Values missing in the answer are copied from `old`.
 */
function signedIn(granted: Granted, { clock }: AuthService, old?: SignedIn): SignedIn {
  const { access_token: accessToken, id_token: idToken, expires_in: seconds } = granted;
  const ofAccess = claimsOf(accessToken);
  const claims = { ...old, ...ofAccess, ...claimsOf(idToken) };
  const refreshToken = granted.refresh_token ?? old?.refreshToken;
  if (claims.accountId === undefined || refreshToken === undefined)
    throw new TokensRefused('The sign-in names no ChatGPT account.', { isFinal: true });
  const livesMs = seconds === undefined ? assumedLifeMs : seconds * 1000;
  const expiresAtMs = seconds === undefined ? ofAccess.expiresAtMs : undefined;
  return {
    accessToken,
    refreshToken,
    expiresAtMs: expiresAtMs ?? clock.now() + livesMs,
    accountId: claims.accountId,
    ...(claims.plan !== undefined && { plan: claims.plan }),
    ...(claims.email !== undefined && { email: claims.email }),
  };
}
