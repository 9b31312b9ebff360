/** Connections for the notification channels of projects, which may reach only public addresses. */
import { isIP, type LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import { oneLine } from '../base/text.ts';
import { checkHost, hostOf, parseAddress } from '../web/addresses.ts';
import { PinnedNames, resolveName, type Resolve } from '../web/pinned.ts';
import type { OpenDispatcher } from '../web/download.ts';
import { WebFailure } from '../web/webFailure.ts';
import { NotifyFailure, type ChannelDeps } from './channel.ts';
import { withoutSecrets } from './secretText.ts';
import type { ChannelSettings } from './settings.ts';

export interface PublicNetworkOptions {
  /** Opens a dispatcher whose direct connections resolve names with `lookup`. */
  readonly openDispatcher: OpenDispatcher;
  /** Resolves names of hosts. Default: as the system does. Tests replace this function. */
  readonly resolve?: Resolve;
}

export function publicNetwork({
  openDispatcher,
  resolve = resolveName,
}: PublicNetworkOptions): Pick<Required<ChannelDeps>, 'fetch' | 'addressOf'> {
  const pinned = async (host: string): Promise<PinnedNames> => {
    const names = new PinnedNames(resolve);
    await names.pin(host, false).catch((error: unknown) => rethrow(error, () => privateHost(host)));
    return names;
  };
  return {
    async fetch(input, init) {
      const url = addressIn(input instanceof Request ? input.url : String(input));
      const names = await pinned(hostOf(url));
      return fetchThrough(await openDispatcher(names.lookup), url, init);
    },
    async addressOf(host) {
      const { lookup } = await pinned(host);
      return isIP(host) === 0 ? firstAddress(host, lookup) : host;
    },
  };
}

/**
 * Throws `NotifyFailure` if a channel of a project can never send a message, whatever addresses its
 * host has.
 */
export function checkProjectChannel(channel: ChannelSettings): void {
  if (channel.type !== 'webhook' && channel.type !== 'email') return;
  withoutSecrets(JSON.stringify(channel));
  const host = channel.type === 'email' ? channel.host : hostOf(addressIn(channel.url));
  try {
    checkHost(host);
  } catch (error) {
    rethrow(error, () => privateHost(host));
  }
}

const privateHost = (host: string): NotifyFailure =>
  new NotifyFailure(
    'settings',
    `${oneLine(host, 100)} is in a private network or on this computer, and a project cannot send there: declare the channel in your own notification settings.`,
  );

/**
 * Throws `error`. Instead of a `WebFailure`, whose text is about fetching pages, throws `failure`
 * with its message.
 */
function rethrow(error: unknown, failure: (message: string) => NotifyFailure): never {
  throw error instanceof WebFailure ? failure(error.message) : error;
}

function addressIn(text: string): URL {
  try {
    return parseAddress(text);
  } catch (error) {
    return rethrow(error, (message) => new NotifyFailure('settings', message));
  }
}

const firstAddress = (host: string, lookup: LookupFunction): Promise<string> =>
  new Promise((resolve, reject) =>
    lookup(host, {}, (error, address) => {
      if (error === null) resolve(String(address));
      else
        reject(new NotifyFailure('unreachable', `${host} could not be reached: ${error.message}`));
    }),
  );

async function fetchThrough(
  dispatcher: Dispatcher,
  url: URL,
  init: RequestInit | undefined,
): Promise<Response> {
  const { default: undici } = await import('undici');
  // Both `fetch` functions implement the same standard, but their types are unrelated.
  const call = undici.fetch as unknown as (url: URL, init: unknown) => Promise<Response>;
  try {
    return await call(url, { ...init, dispatcher });
  } finally {
    // Waits for the rest of the answer.
    dispatcher.close().catch(() => undefined);
  }
}
