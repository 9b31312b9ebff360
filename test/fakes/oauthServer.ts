/**
 * A fake of the sign-in service of ChatGPT, for the sign-in and for tokens that end. It checks what
 * the real one checks: the client, the address to come back to, PKCE, that a code and a refresh
 * token are used once.
 *
 *     const auth = await OauthServer.start();
 *     await auth.visit(signIn.address);          // what the user's browser does
 *     auth.lives(600);                           // seconds, of the tokens from now on
 *     auth.revoke();                             // every refresh token given so far
 */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clientId } from '../../src/models/chatgpt/codexService.ts';

export interface TokenRequest {
  readonly grant: string;
  readonly contentType: string;
  readonly fields: Readonly<Record<string, string>>;
}

interface Pending {
  readonly challenge: string;
  readonly redirectUri: string;
}

type Answer = readonly [status: number, body: unknown];

export class OauthServer {
  /** What was asked of the token endpoint. */
  readonly tokenRequests: TokenRequest[] = [];
  readonly accountId = 'acc-1234';
  readonly email = 'ada@lab.org';
  /** What the user answers: yes, no, or no page at all because of an error of the service. */
  consent: 'allow' | 'deny' | 'error' = 'allow';
  /** In place of the answer of the token endpoint, `hang` for none. */
  trouble: Answer | 'hang' | undefined;
  /** Called before the token endpoint answers. */
  before: (() => Promise<void>) | undefined;
  readonly #server: Server;
  readonly #codes = new Map<string, Pending>();
  readonly #refreshTokens = new Set<string>();
  readonly #accessTokens = new Set<string>();
  #lifeSeconds = 3600;
  #count = 0;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<OauthServer> {
    const server = new OauthServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  lives(seconds: number): void {
    this.#lifeSeconds = seconds;
  }

  /** Refresh tokens given so far are no longer taken. */
  revoke(): void {
    this.#refreshTokens.clear();
  }

  /** Access tokens given so far are no longer taken by whoever asks `isGood`. */
  expire(): void {
    this.#accessTokens.clear();
  }

  isGood(accessToken: string): boolean {
    return this.#accessTokens.has(accessToken);
  }

  /**
   * What the user's browser does: the page of the service, and back. Resolves with the page that it
   * ends on.
   */
  async visit(address: string): Promise<{ readonly status: number; readonly text: string }> {
    const response = await fetch(await this.redirected(address));
    return { status: response.status, text: await response.text() };
  }

  /** Where the service sends the browser back to. */
  async redirected(address: string): Promise<string> {
    const response = await fetch(address, { redirect: 'manual' });
    const location = response.headers.get('location');
    if (location === null)
      throw new Error(`The service answered ${response.status}: ${await response.text()}`);
    return location;
  }

  /** Tokens as the service would have given them; they end in `seconds`. */
  tokens(): Readonly<Record<string, unknown>> {
    const number = (this.#count += 1);
    const [access, refresh] = [
      this.#jwt({ number, secret: 'access' }),
      `refresh-${number}-${randomBytes(12).toString('hex')}`,
    ];
    this.#accessTokens.add(access);
    this.#refreshTokens.add(refresh);
    return {
      access_token: access,
      refresh_token: refresh,
      id_token: this.#jwt({ email: this.email }),
      token_type: 'bearer',
      expires_in: this.#lifeSeconds,
    };
  }

  #jwt(claims: Readonly<Record<string, unknown>>): string {
    const part = (value: unknown): string =>
      Buffer.from(JSON.stringify(value)).toString('base64url');
    const account = { chatgpt_account_id: this.accountId, chatgpt_plan_type: 'plus' };
    const payload = { ...claims, 'https://api.openai.com/auth': account };
    return `${part({ alg: 'RS256' })}.${part(payload)}.${randomBytes(16).toString('base64url')}`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.url);
    if (request.method === 'GET' && url.pathname === '/oauth/authorize') {
      const [status, location] = this.#authorize(url.searchParams);
      response.writeHead(status, status === 302 ? { location } : {}).end(location);
      return;
    }
    if (request.method !== 'POST' || url.pathname !== '/oauth/token')
      return void response.writeHead(404).end();
    const asked = await readTokenRequest(request);
    this.tokenRequests.push(asked);
    await this.before?.();
    const answer = this.trouble ?? this.#grant(asked);
    if (answer === 'hang') return;
    const [status, body] = answer;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  #authorize(asked: URLSearchParams): readonly [status: number, locationOrProblem: string] {
    const problem = problemWith(asked);
    if (problem !== undefined) return [400, problem];
    const back = new URL(asked.get('redirect_uri') ?? '');
    back.searchParams.set('state', asked.get('state') ?? '');
    if (this.consent === 'allow') {
      const code = `code-${randomBytes(12).toString('hex')}`;
      this.#codes.set(code, {
        challenge: asked.get('code_challenge') ?? '',
        redirectUri: asked.get('redirect_uri') ?? '',
      });
      back.searchParams.set('code', code);
    } else {
      back.searchParams.set('error', this.consent === 'deny' ? 'access_denied' : 'server_error');
      back.searchParams.set(
        'error_description',
        this.consent === 'deny' ? 'The user said no' : 'Something <b>broke</b>',
      );
    }
    return [302, back.href];
  }

  #grant({ grant, contentType, fields }: TokenRequest): Answer {
    if (fields['client_id'] !== clientId) return [401, { error: 'invalid_client' }];
    if (grant === 'authorization_code') {
      if (!contentType.startsWith('application/x-www-form-urlencoded'))
        return [400, { error: 'invalid_request' }];
      return this.#forCode(fields);
    }
    if (grant !== 'refresh_token' || !contentType.startsWith('application/json'))
      return [400, { error: 'unsupported_grant_type' }];
    if (!this.#refreshTokens.delete(fields['refresh_token'] ?? ''))
      return [
        401,
        {
          error: {
            code: 'refresh_token_reused',
            message: `The token ${fields['refresh_token']} was used`,
          },
        },
      ];
    return [200, this.tokens()];
  }

  #forCode({
    code = '',
    code_verifier: verifier = '',
    redirect_uri: redirectUri,
  }: TokenRequest['fields']): Answer {
    const pending = this.#codes.get(code);
    this.#codes.delete(code);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const isRight =
      pending?.challenge === challenge &&
      pending.redirectUri === redirectUri &&
      verifier.length >= 43;
    return isRight
      ? [200, this.tokens()]
      : [400, { error: 'invalid_grant', error_description: 'The code is not right' }];
  }
}

async function readTokenRequest(request: IncomingMessage): Promise<TokenRequest> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
  const contentType = request.headers['content-type'] ?? '';
  const fields = contentType.includes('json')
    ? (JSON.parse(body) as Record<string, string>)
    : Object.fromEntries(new URLSearchParams(body));
  return { grant: fields['grant_type'] ?? '', contentType, fields };
}

const redirectPattern = /^http:\/\/localhost:\d+\/auth\/callback$/;

function problemWith(asked: URLSearchParams): string | undefined {
  if (asked.get('client_id') !== clientId) return 'unknown client';
  if (asked.get('response_type') !== 'code') return 'response_type must be code';
  if (!redirectPattern.test(asked.get('redirect_uri') ?? '')) return 'redirect_uri is not allowed';
  if (asked.get('code_challenge_method') !== 'S256' || !asked.get('code_challenge'))
    return 'PKCE is needed';
  if ((asked.get('state') ?? '').length < 32) return 'state is too short';
  return asked.get('scope')?.split(' ').includes('offline_access')
    ? undefined
    : 'offline_access is missing';
}
