/** Turns failures reported by `claude` into `ModelFailure`s. */
import type { SDKMessage, SDKRateLimitInfo } from '@anthropic-ai/claude-agent-sdk';
import { cleanText, oneLine } from '../../base/text.ts';
import type { ModelFailure, ModelFailureReason } from '../model.ts';
import { providers } from '../providerList.ts';

export const claudeCliLabel = providers['claude-cli'].label;

export const signInHint =
  'Run `claude` in a terminal and sign in with /login, or set ANTHROPIC_API_KEY in the environment of Helios.';

const maxMessageChars = 600;

/**
 * Error fields of a result message, or of a reply that `claude` itself writes to report an error.
 * The SDK's types lack some of these fields, and older versions of `claude` omit others.
 */
interface ErrorFields {
  readonly error?: string;
  readonly status: number | undefined;
  readonly kind: string | undefined;
  readonly connection: string | undefined;
  readonly terminal: string | undefined;
  readonly text: string;
}

/**
 * Returns the failure that a message reports, or `undefined`. `limit` is the last message about the
 * limits of the plan.
 */
export function failureIn(
  message: SDKMessage,
  limit: SDKRateLimitInfo | undefined,
  nowMs: number,
): ModelFailure | undefined {
  const fields = read(message);
  if (fields === undefined) return undefined;
  const reason = reasonOf(fields);
  const text = `${claudeCliLabel}: ${oneLine(cleanText(fields.text), maxMessageChars)}`;
  const untilMs =
    reason === 'rate_limit' && limit?.status === 'rejected'
      ? (limit.resetsAt ?? 0) * 1000 - nowMs
      : 0;
  return {
    reason,
    message: reason === 'auth' ? `${text} ${signInHint}` : text,
    ...(fields.status !== undefined && { status: fields.status }),
    ...(untilMs > 0 && { retryAfterMs: untilMs }),
  };
}

function read(message: SDKMessage): ErrorFields | undefined {
  if (message.type === 'assistant') {
    const { error, ...more } = message;
    const text = message.message.content
      .map((block) => (block.type === 'text' ? block.text : ''))
      .join('');
    if (error === undefined) return undefined;
    return {
      error: message.message.stop_reason === 'refusal' ? 'refusal' : error,
      text,
      ...details(more),
    };
  }
  if (message.type !== 'result' || !message.is_error) return undefined;
  const text = message.subtype === 'success' ? message.result : message.errors.join(' ');
  return { text, ...details(message) };
}

function details(message: object): Omit<ErrorFields, 'error' | 'text'> {
  const fields = message as Readonly<Record<string, unknown>>;
  const textField = (name: string): string | undefined =>
    typeof fields[name] === 'string' ? fields[name] : undefined;
  return {
    status: typeof fields['api_error_status'] === 'number' ? fields['api_error_status'] : undefined,
    kind: textField('api_error_type'),
    connection: textField('api_error'),
    terminal: textField('terminal_reason'),
  };
}

const ofError: Readonly<Record<string, ModelFailureReason>> = {
  authentication_failed: 'auth',
  oauth_org_not_allowed: 'auth',
  account_on_hold: 'auth',
  verification_required: 'auth',
  billing_error: 'auth',
  cloud_credential_error: 'auth',
  refusal: 'refused',
  rate_limit: 'rate_limit',
  overloaded: 'rate_limit',
  invalid_request: 'invalid',
  model_not_found: 'invalid',
};

const ofStatus: Readonly<Record<number, ModelFailureReason>> = {
  401: 'auth',
  402: 'auth',
  403: 'auth',
  413: 'overflow',
  429: 'rate_limit',
  529: 'rate_limit',
};

function reasonOf({
  error = '',
  status,
  kind,
  connection,
  terminal,
  text,
}: ErrorFields): ModelFailureReason {
  if (terminal === 'prompt_too_long' || /prompt is too long|context limit reached/i.test(text))
    return 'overflow';
  if (connection !== undefined) return 'network';
  if (kind === 'overloaded_error') return 'rate_limit';
  const reason = (status === undefined ? undefined : ofStatus[status]) ?? ofError[error];
  if (reason !== undefined) return reason;
  if (status !== undefined) return status >= 500 ? 'server' : 'invalid';
  return error === 'server_error' || /connection|network|stream|ECONN|ETIMEDOUT/i.test(text)
    ? 'network'
    : 'server';
}

/**
 * Returns the failure for a `claude` process that ended by itself. `how` states how the process
 * ended; `stderr` is the last output of the process on stderr.
 */
export function deathOf(how: string, stderr: string): ModelFailure {
  const words = oneLine(cleanText(stderr), maxMessageChars);
  if (/unknown option|unknown argument/i.test(stderr))
    return {
      reason: 'invalid',
      message: `${claudeCliLabel} is too old (${words}). Run \`claude update\`.`,
    };
  if (/root\/sudo|as root/i.test(stderr))
    return {
      reason: 'invalid',
      message: `${claudeCliLabel} refuses to run as root (${words}). Start Helios as another user.`,
    };
  return {
    reason: 'network',
    message: `${claudeCliLabel} ended in the middle of a reply: ${how}. ${words}`.trim(),
  };
}
