/**
 * A fake of the back end of Codex: the Responses API in its own dialect. It refuses what the real
 * one refuses, in the real one's words, and lists its models in its own form.
 */
import {
  WireServer,
  type Dialect,
  type JsonObject,
  type WireError,
  type WireRequest,
  type WireScript,
} from './wire.ts';
import { responses } from './wireOpenaiResponses.ts';

export interface ChatgptRules {
  /** Tokens that it takes; all unless told. */
  readonly isGood?: (accessToken: string) => boolean;
}

export const startWireChatgpt = (
  script: WireScript = () => ({}),
  rules: ChatgptRules = {},
): Promise<WireServer> => new WireServer(codex(rules), script).start();

const codex = ({ isGood = () => true }: ChatgptRules): Dialect => ({
  ...responses,
  path: '/backend-api/codex/responses',
  basePath: '/backend-api/codex',
  listing: { path: '/backend-api/codex/models', page: (models) => ({ models: [...models] }) },
  errorBody,
  refusal: (request) => refusal(request, isGood),
});

/** A `kind` is told as the API tells it; what the back end itself refuses has only a `detail`. */
function errorBody(error: WireError): unknown {
  const {
    message = 'It failed',
    kind,
    extra = {},
  } = error as WireError & { readonly extra?: JsonObject };
  return kind === undefined ? { detail: message } : { error: { type: kind, message, ...extra } };
}

/** 429 as of a plan whose limit is reached. */
export const usageLimit = (extra: JsonObject, kind = 'usage_limit_reached'): WireError =>
  Object.assign({ status: 429, kind, message: 'The usage limit has been reached' }, { extra });

function refusal(
  { headers, body }: WireRequest,
  isGood: (token: string) => boolean,
): WireError | undefined {
  const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  if (bearer === undefined || !isGood(bearer))
    return {
      status: 401,
      message: 'Provided authentication token is expired. Please try signing in again.',
    };
  if (!headers['chatgpt-account-id'])
    return { status: 400, message: 'Missing chatgpt-account-id header' };
  const detail = problemWith(body);
  return detail === undefined ? undefined : { status: 400, message: detail };
}

function problemWith(body: JsonObject): string | undefined {
  if (body.store !== false) return 'Store must be set to false';
  if (body.stream !== true) return 'Stream must be set to true';
  if (typeof body.instructions !== 'string' || body.instructions === '')
    return 'Instructions are required';
  const unknown = ['max_output_tokens', 'temperature', 'top_p', 'metadata', 'user'].find(
    (name) => name in body,
  );
  return unknown === undefined ? undefined : `Unsupported parameter: ${unknown}`;
}
