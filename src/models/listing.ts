/** Listing and readiness, shared by the providers that can list their models. */
import { messageOf, UserFacing } from '../base/errors.ts';
import { failureOf } from './failures.ts';
import { CallFailed, withoutSecret, type Attempt } from './guarded.ts';
import { noUsage, type ModelDescription, type ModelProvider, type Readiness } from './model.ts';
import { requiredKey, type ProviderIdentity, type ProviderOptions } from './provider.ts';

/**
 * Returns a function that calls `ask` with the current key. For any error, the function rejects
 * with `CallFailed`, whose message does not contain the key.
 */
export function listing(
  ask: (key: string, signal: AbortSignal) => Promise<readonly ModelDescription[]>,
  identity: ProviderIdentity,
  options: ProviderOptions,
): NonNullable<ModelProvider['list']> {
  const { label, keyHint, billingUrl } = identity;
  return async (signal) => {
    const attempt: Attempt = { model: '', usage: noUsage };
    try {
      return await ask(await requiredKey(options, identity, attempt), signal);
    } catch (error) {
      const failure =
        error instanceof CallFailed
          ? error.failure
          : failureOf(error, { label, keyHint, billingUrl, nowMs: options.clock.now() });
      throw new CallFailed(withoutSecret(failure, attempt.secret));
    }
  };
}

/** Returns a function that reports whether there is a key. */
export function keyReadiness({ label, keyHint }: ProviderIdentity, { apiKey }: ProviderOptions) {
  return async (): Promise<Readiness> => {
    try {
      if ((await apiKey())?.trim()) return { isReady: true };
      return { isReady: false, problem: `There is no key for ${label}.`, action: keyHint };
    } catch (error) {
      const action = error instanceof UserFacing ? (error.action ?? keyHint) : keyHint;
      return { isReady: false, problem: messageOf(error), action };
    }
  };
}
