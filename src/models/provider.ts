/**
 * What the providers of this folder share: their options, and the way from a raw stream to one that
 * can be relied on.
 */
import type { Clock } from '../base/clock.ts';
import { failureOf } from './failures.ts';
import { CallFailed, guarded, type Attempt, type ModelStream, type RawStream } from './guarded.ts';
import { retrying } from './retrying.ts';

export interface ProviderOptions {
  /**
   * Asked before every call, so that a key that was set meanwhile is used. Never logged, never part
   * of a message.
   */
  readonly apiKey: () => Promise<string | undefined>;
  /** Without it, the provider's own address. */
  readonly baseUrl?: string;
  /**
   * The way to the network, with proxies and certificates; the global one unless told. Handed to
   * the SDK.
   */
  readonly fetch?: typeof globalThis.fetch;
  readonly clock: Clock;
  /** In [0, 1), for the jitter of retries. */
  readonly random?: () => number;
  /** Attempts after the first; 5 unless told. */
  readonly maxRetries?: number;
  /** A stream silent for so long counts as cut; 10 minutes unless told. */
  readonly idleTimeoutMs?: number;
}

/** What a provider needs that has no key. */
export type CallOptions = Omit<ProviderOptions, 'apiKey'>;

export interface ProviderIdentity {
  readonly id: string;
  readonly label: string;
  /** What a user does about a missing or refused key. */
  readonly keyHint: string;
}

export function dependable(
  raw: RawStream,
  identity: ProviderIdentity,
  options: CallOptions,
): ModelStream {
  const { clock, random, maxRetries, idleTimeoutMs } = options;
  const { label, keyHint } = identity;
  const attempt = guarded(raw, {
    provider: identity.id,
    clock,
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
    failureOf: (error) => failureOf(error, { label, keyHint, nowMs: clock.now() }),
  });
  return retrying(attempt, {
    clock,
    ...(random === undefined ? {} : { random }),
    ...(maxRetries === undefined ? {} : { maxRetries }),
  });
}

/** The key for this call; fails as `auth`, before any request, when there is none. */
export async function requiredKey(
  options: ProviderOptions,
  { label, keyHint }: ProviderIdentity,
  attempt: Attempt,
): Promise<string> {
  const key = (await options.apiKey())?.trim();
  if (!key)
    throw new CallFailed({ reason: 'auth', message: `There is no key for ${label}. ${keyHint}` });
  attempt.secret = key;
  return key;
}
