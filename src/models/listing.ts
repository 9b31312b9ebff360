/** What providers share that can say which models they have, and whether they could be called. */
import { messageOf, UserFacing } from '../base/errors.ts';
import { failureOf } from './failures.ts';
import { CallFailed, withoutSecret, type Attempt } from './guarded.ts';
import { noUsage, type ModelDescription, type ModelProvider, type Readiness } from './model.ts';
import { requiredKey, type ProviderIdentity, type ProviderOptions } from './provider.ts';

/**
 * `ask` with the key of the moment; whatever it throws becomes `CallFailed`, without the key in its
 * words.
 */
export function listing(
  ask: (key: string, signal: AbortSignal) => Promise<readonly ModelDescription[]>,
  identity: ProviderIdentity,
  options: ProviderOptions,
): NonNullable<ModelProvider['list']> {
  const { label, keyHint } = identity;
  return async (signal) => {
    const attempt: Attempt = { model: '', usage: noUsage };
    try {
      return await ask(await requiredKey(options, identity, attempt), signal);
    } catch (error) {
      const failure =
        error instanceof CallFailed
          ? error.failure
          : failureOf(error, { label, keyHint, nowMs: options.clock.now() });
      throw new CallFailed(withoutSecret(failure, attempt.secret));
    }
  };
}

/** Ready when there is a key. */
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
