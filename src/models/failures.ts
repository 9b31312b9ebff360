/**
 * Turns errors thrown by the SDKs into `ModelFailure`s. Recognises errors by their fields instead
 * of their class, so that no SDK has to be loaded.
 */
import { adviceOf, codeOf, messageOf, UserFacing } from '../base/errors.ts';
import { retryAfterMs } from '../base/retries.ts';
import { cleanText, oneLine } from '../base/text.ts';
import type { ModelFailure, ModelFailureReason } from './model.ts';

export interface FailureContext {
  /** Display name, such as `Anthropic`. */
  readonly label: string;
  /** Advice for the user about a missing or refused key. */
  readonly keyHint: string;
  /** Page on which the user adds credit to the account. */
  readonly billingUrl?: string | undefined;
  readonly nowMs: number;
}

interface Thrown {
  readonly status: number | undefined;
  /**
   * The provider's own names for the kind of error, such as `overloaded_error rate_limit_exceeded`.
   */
  readonly kind: string;
  readonly text: string;
  readonly headers: Headers | undefined;
}

const maxMessageChars = 600;

const overflowPattern =
  /prompt is too long|context[_ ](length|window|limit|size)|maximum context|too many (input )?tokens|maximum number of tokens|input is too long|request_too_large/i;
const noCreditPattern = /insufficient_quota|billing|credit balance/i;
/** Matches Google's error for a wrong key, which has the status 400. */
const badKeyPattern = /api_key_invalid/i;
const policyPattern = /policy|content_filter|safety|flagged/i;

export function failureOf(error: unknown, context: FailureContext): ModelFailure {
  const ours = causeForUser(error);
  if (ours !== undefined)
    return {
      reason: ours.reason === 'not_api' ? 'not_api' : 'invalid',
      problem: `${context.label}: ${ours.message}`,
      message: `${context.label}: ${adviceOf(ours)}`,
    };
  const thrown = read(error);
  const reason = reasonOf(thrown, error);
  const waitMs = retryAfter(thrown.headers, context.nowMs);
  const problem = problemOf(reason, thrown, context);
  const advice = adviceFor(reason, context);
  return {
    reason,
    problem,
    message: advice === undefined ? problem : `${problem} ${advice}`,
    ...(thrown.status === undefined ? {} : { status: thrown.status }),
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
  };
}

function problemOf(
  reason: ModelFailureReason,
  { status, text }: Thrown,
  { label }: FailureContext,
): string {
  const answer = `${label}${status === undefined ? '' : ` answered ${status}`}`;
  const words = oneLine(cleanText(text), maxMessageChars);
  if (reason !== 'credit') return asSentence(`${answer}: ${words}`);
  return asSentence(`${answer}: the account has no credit left for this${words && `: ${words}`}`);
}

const asSentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

function adviceFor(
  reason: ModelFailureReason,
  { keyHint, billingUrl }: FailureContext,
): string | undefined {
  if (reason === 'auth') return keyHint;
  if (reason !== 'credit') return undefined;
  return billingUrl === undefined ? 'Add credit to the account.' : `Add credit at ${billingUrl}`;
}

/** Returns why a call is repeated, without a full stop. `label`: display name of the provider. */
export const retryReason = (label: string, failure: ModelFailure): string =>
  failure.reason === 'rate_limit'
    ? `${label} is limiting requests`
    : (failure.problem ?? failure.message).replace(/\.$/, '');

function reasonOf(thrown: Thrown, error: unknown): ModelFailureReason {
  const { status, kind, text } = thrown;
  const words = `${kind} ${text}`;
  if (noCreditPattern.test(status === 429 ? kind : words)) return 'credit';
  if (status !== 429 && overflowPattern.test(words)) return 'overflow';
  if (policyPattern.test(/invalid_prompt/.test(kind) ? words : kind)) return 'refused';
  if (badKeyPattern.test(kind)) return 'auth';
  if (status !== undefined) return ofStatus(status, words);
  return ofKind(words, kind) ?? (isConnection(error) ? 'network' : 'invalid');
}

const statuses: Readonly<Record<number, ModelFailureReason>> = {
  401: 'auth',
  402: 'credit',
  403: 'auth',
  408: 'network',
  409: 'server',
  413: 'overflow',
  425: 'server',
  429: 'rate_limit',
  529: 'rate_limit',
};

function ofStatus(status: number, words: string): ModelFailureReason {
  if (status < 500) return statuses[status] ?? 'invalid';
  return statuses[status] ?? (/overloaded/i.test(words) ? 'rate_limit' : 'server');
}

/**
 * Classifies an error by the provider's names for the error. Needed for an error inside a stream
 * that began with status 200, which has no status.
 */
function ofKind(words: string, kind: string): ModelFailureReason | undefined {
  if (/overloaded|rate_limit|throttling/i.test(words)) return 'rate_limit';
  if (/authentication|permission|invalid_api_key|access_?denied|expired_?token/i.test(kind))
    return 'auth';
  if (/invalid|not_found|validation/i.test(kind)) return 'invalid';
  return kind === '' ? undefined : 'server';
}

/**
 * Returns whether the connection failed. Such errors come from an SDK (with a `status` that is
 * undefined), from `fetch` or from a garbled stream.
 */
function isConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error) ?? codeOf(error.cause) ?? '';
  return (
    ('status' in error && error.status === undefined) ||
    /^(E[A-Z]{3,}|UND_ERR_)/.test(code) ||
    error instanceof SyntaxError ||
    /^(terminated|fetch failed|premature close|other side closed)/i.test(error.message)
  );
}

function read(error: unknown): Thrown {
  if (typeof error !== 'object' || error === null)
    return { status: undefined, kind: '', text: String(error), headers: undefined };
  const fields = error as Readonly<Record<string, unknown>>;
  const outer = record(fields.error);
  const body = record(outer.error ?? fields.error);
  return {
    status: typeof fields.status === 'number' ? fields.status : undefined,
    kind: [fields.code, fields.type, body.type, body.code]
      .filter((word) => typeof word === 'string')
      .join(' '),
    text: typeof body.message === 'string' ? body.message : innermost(error),
    headers: fields.headers instanceof Headers ? fields.headers : undefined,
  };
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

const maxCauses = 8;

/**
 * Returns the cause if the user has to solve it, such as a proxy that requires a password. Retrying
 * cannot help in this case.
 */
function causeForUser(error: unknown, depth = 0): UserFacing | undefined {
  if (error instanceof UserFacing) return error;
  return error instanceof Error && depth < maxCauses
    ? causeForUser(error.cause, depth + 1)
    : undefined;
}

/**
 * Returns the message of the last cause: `connect ECONNREFUSED …` instead of `Connection error.`
 */
function innermost(error: unknown, depth = 0): string {
  const cause = error instanceof Error && depth < maxCauses ? error.cause : undefined;
  if (cause instanceof Error && cause.message !== '') return innermost(cause, depth + 1);
  return messageOf(error) || codeOf(error) || 'no details';
}

function retryAfter(headers: Headers | undefined, nowMs: number): number | undefined {
  const ms = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  return ms >= 0 ? ms : retryAfterMs(headers?.get('retry-after'), nowMs);
}
