/** Options that the providers share, and the wrapper that makes a raw stream reliable. */
import type { Clock } from '../base/clock.ts';
import { failureOf } from './failures.ts';
import { CallFailed, guarded, type Attempt, type ModelStream, type RawStream } from './guarded.ts';
import type { ModelFailure } from './model.ts';
import { retrying } from './retrying.ts';

export interface ProviderOptions {
  /**
   * Returns the key. Called before every call, so that a changed key is used. The key is never
   * logged and never part of a message.
   */
  readonly apiKey: () => Promise<string | undefined>;
  /** Address of the API. Default: the provider's own address. */
  readonly baseUrl?: string;
  /**
   * Fetches with the configured proxies and certificates; handed to the SDK. Default: the global
   * `fetch`.
   */
  readonly fetch?: typeof globalThis.fetch;
  readonly clock: Clock;
  /** Returns a number in [0, 1), for the jitter of retries. */
  readonly random?: () => number;
  /** Maximum number of attempts after the first. Default: 5. */
  readonly maxRetries?: number;
  /** Time without an event after which the connection is considered broken. Default: 10 minutes. */
  readonly idleTimeoutMs?: number;
}

/** Options of a provider that has no key. */
export type CallOptions = Omit<ProviderOptions, 'apiKey'>;

export interface ProviderIdentity {
  readonly id: string;
  readonly label: string;
  /** Advice about a missing or refused key. */
  readonly keyHint: string;
  /** Page on which the user adds credit to the account. */
  readonly billingUrl?: string | undefined;
}

/**
 * Wraps a raw stream: errors become failures of the reply (see `guarded`), and calls are retried.
 */
export function dependable(
  raw: RawStream,
  identity: ProviderIdentity,
  options: CallOptions,
): ModelStream {
  const { clock, random, maxRetries, idleTimeoutMs } = options;
  const { label, keyHint, billingUrl } = identity;
  const attempt = guarded(raw, {
    provider: identity.id,
    clock,
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
    failureOf: (error) => failureOf(error, { label, keyHint, billingUrl, nowMs: clock.now() }),
  });
  return retrying(attempt, {
    clock,
    ...(random === undefined ? {} : { random }),
    ...(maxRetries === undefined ? {} : { maxRetries }),
  });
}

/** Returns the key for this call. If there is no key, throws a failure with the reason `auth`. */
export async function requiredKey(
  options: ProviderOptions,
  { label, keyHint }: ProviderIdentity,
  attempt: Attempt,
): Promise<string> {
  const key = (await options.apiKey())?.trim();
  if (!key) throw new CallFailed(missingKey(label, keyHint));
  attempt.secret = key;
  return key;
}

function missingKey(label: string, keyHint: string): ModelFailure {
  const problem = `There is no key for ${label}.`;
  return { reason: 'auth', problem, message: `${problem} ${keyHint}` };
}
