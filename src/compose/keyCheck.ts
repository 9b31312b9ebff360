/** Checks an API key before it is stored, by a call that costs nothing: the list of models. */
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import { silentLogger } from '../base/logger.ts';
import { createFetch, type NetworkSettings } from '../http/network.ts';
import { createProviders, type ProviderSettings } from '../models/createProviders.ts';
import { CallFailed } from '../models/guarded.ts';

/** `unknown`: the key could not be checked, such as without a network. */
export type KeyAnswer =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused' | 'unknown'; readonly problem: string };

export interface KeyQuestion {
  /** Id of the provider. */
  readonly provider: string;
  /** Name by which the provider requests the key. */
  readonly secret: string;
  readonly key: string;
  settings(): ProviderSettings & NetworkSettings;
  readonly clock: Clock;
}

const limitMs = 10_000;

/** Never rejects. No text of the answer contains the key. */
export async function checkKey(question: KeyQuestion): Promise<KeyAnswer> {
  const { provider, secret, key, settings, clock } = question;
  const providers = createProviders({
    settings,
    secret: (name) => Promise.resolve(name === secret ? key : undefined),
    fetch: createFetch(settings),
    clock,
    logger: silentLogger,
  })();
  const list = providers.get(provider)?.list;
  if (list === undefined) return { kind: 'unknown', problem: 'The provider lists no models.' };
  const abort = new AbortController();
  const timer = clock.after(limitMs, () => abort.abort());
  try {
    await list(abort.signal);
    return { kind: 'accepted' };
  } catch (error) {
    return answerOf(error);
  } finally {
    timer.dispose();
  }
}

function answerOf(error: unknown): KeyAnswer {
  if (!(error instanceof CallFailed)) return { kind: 'unknown', problem: messageOf(error) };
  const { reason, problem, message } = error.failure;
  return { kind: reason === 'auth' ? 'refused' : 'unknown', problem: problem ?? message };
}
