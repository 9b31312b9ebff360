/**
 * Performs one GET request, with limits on the size after decompression, on the total time, and on
 * redirects. Each redirect's address is checked in the same way as the first address.
 */
import type { LookupFunction } from 'node:net';
import type { Dispatcher, Response } from 'undici';
import type { Clock } from '../base/clock.ts';
import { codeOf, messageOf } from '../base/errors.ts';
import { retry, retryAfterMs, type RetryPolicy } from '../base/retries.ts';
import { cleanText, formatDuration, oneLine } from '../base/text.ts';
import { hostOf, parseAddress } from './addresses.ts';
import { PinnedNames, resolveName, type Resolve } from './pinned.ts';
import { WebFailure } from './webFailure.ts';

/**
 * Opens a dispatcher, which the caller destroys after use. Direct connections must resolve names
 * with `lookup`.
 */
export type OpenDispatcher = (lookup: LookupFunction) => Promise<Dispatcher>;

export interface WebOptions {
  readonly clock: Clock;
  /** User agent header. Must identify Helios, and not pretend to be a browser. */
  readonly userAgent: string;
  allowsPrivateAddresses(): boolean;
  /**
   * Opens a dispatcher per download. Default: a direct connection. If the dispatcher uses a proxy,
   * the proxy resolves names itself, so only the addresses that this computer resolves are checked.
   */
  readonly openDispatcher?: OpenDispatcher;
  readonly resolve?: Resolve;
  readonly limits?: Partial<WebLimits>;
}

export interface WebLimits {
  readonly bytes: number;
  /** Time limit of a whole download, including redirects and retries. */
  readonly totalMs: number;
  readonly redirects: number;
}

export interface Download {
  /** Final URL, after redirects. */
  readonly url: string;
  readonly status: number;
  /** Media type in lower case, without parameters; empty if the server sent none. */
  readonly mediaType: string;
  readonly charset?: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** True when the content exceeded the size limit and was truncated. */
  readonly isCut: boolean;
}

export interface DownloadRequest {
  readonly url: string;
  readonly accept: string;
  /** True for an address that the user configured, which may be private. */
  readonly allowsPrivateAddresses?: boolean;
  /** True if a redirect to another host is refused. Default: false. */
  readonly staysOnHost?: boolean;
}

const usualLimits: WebLimits = { bytes: 10_000_000, totalMs: 60_000, redirects: 5 };
const policy: RetryPolicy = { firstMs: 1000, factor: 2, maxRetries: 2 };
const longestWaitMs = 10_000;

/**
 * Downloads the content at the address. Sends no cookies and no credentials. Rejects with
 * `WebFailure`, or with the reason of the signal.
 */
export async function download(
  request: DownloadRequest,
  options: WebOptions,
  signal: AbortSignal,
): Promise<Download> {
  const limits = { ...usualLimits, ...options.limits };
  const names = new PinnedNames(options.resolve ?? resolveName);
  const dispatcher = await (options.openDispatcher ?? openDirect)(names.lookup);
  const late = new AbortController();
  const timer = options.clock.after(limits.totalMs, () => late.abort());
  const either = AbortSignal.any([signal, late.signal]);
  try {
    return await new Attempts({
      request,
      options,
      limits,
      names,
      dispatcher,
      signal: either,
    }).run();
  } catch (error) {
    signal.throwIfAborted();
    if (late.signal.aborted)
      throw new WebFailure(
        'timeout',
        `The page did not arrive within ${formatDuration(limits.totalMs)}.`,
      );
    throw error;
  } finally {
    timer.dispose();
    await dispatcher.destroy();
  }
}

async function openDirect(lookup: LookupFunction): Promise<Dispatcher> {
  const { default: undici } = await import('undici');
  return new undici.Agent({ connect: { lookup } });
}

interface DownloadPolicy {
  readonly request: DownloadRequest;
  readonly options: WebOptions;
  readonly limits: WebLimits;
  readonly names: PinnedNames;
  readonly dispatcher: Dispatcher;
  readonly signal: AbortSignal;
}

class Attempts {
  readonly #policy: DownloadPolicy;

  constructor(policy: DownloadPolicy) {
    this.#policy = policy;
  }

  run(): Promise<Download> {
    const { options, signal } = this.#policy;
    return retry(policy, { clock: options.clock, signal, again }, () => this.#follow());
  }

  async #follow(): Promise<Download> {
    const { request, limits } = this.#policy;
    let url = parseAddress(request.url);
    for (let redirects = 0; redirects <= limits.redirects; redirects++) {
      const response = await this.#get(url);
      const location = isRedirect(response) ? response.headers.get('location') : null;
      if (location === null) return this.#read(url, response);
      await response.body?.cancel();
      url = this.#next(url, location);
    }
    throw new WebFailure(
      'network',
      `More than ${limits.redirects} redirects; the last one to ${oneLine(url.href, 200)}.`,
    );
  }

  #next(url: URL, location: string): URL {
    const next = parseAddress(location, url.href);
    if (this.#policy.request.staysOnHost === true && siteOf(next) !== siteOf(url))
      throw new WebFailure(
        'address',
        `${hostOf(url)} redirects to ${hostOf(next)}. A URL that you composed may not lead to another host: search for the page with web_search.`,
      );
    return next;
  }

  async #get(url: URL): Promise<Response> {
    const { request, options, names, dispatcher, signal } = this.#policy;
    const allowsPrivate = request.allowsPrivateAddresses ?? options.allowsPrivateAddresses();
    await orAborted(names.pin(hostOf(url), allowsPrivate), signal);
    const { default: undici } = await import('undici');
    const headers = {
      'user-agent': options.userAgent,
      accept: request.accept,
      'accept-language': 'en, *;q=0.5',
    };
    try {
      return await undici.fetch(url, {
        dispatcher,
        signal,
        headers,
        redirect: 'manual',
        credentials: 'omit',
      });
    } catch (error) {
      throw signal.aborted ? error : noAnswer(hostOf(url), error);
    }
  }

  async #read(url: URL, response: Response): Promise<Download> {
    const { status, headers } = response;
    if (status >= 400) {
      await response.body?.cancel();
      throw refused(url, response, this.#policy.options.clock.now());
    }
    const type = headers.get('content-type') ?? '';
    const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1];
    return {
      url: url.href,
      status,
      mediaType: type.replace(/;[^]*/, '').trim().toLowerCase(),
      ...(charset !== undefined && { charset }),
      ...(await this.#body(url, response)),
    };
  }

  async #body(url: URL, { body }: Response): Promise<Pick<Download, 'bytes' | 'isCut'>> {
    const { limits, signal } = this.#policy;
    const parts: Uint8Array[] = [];
    let leftBytes = limits.bytes;
    try {
      for await (const part of body ?? []) {
        parts.push((part as Uint8Array).subarray(0, leftBytes));
        leftBytes -= (part as Uint8Array).length;
        if (leftBytes < 0) break;
      }
    } catch (error) {
      throw signal.aborted ? error : noAnswer(hostOf(url), error);
    }
    return { bytes: joined(parts), isCut: leftBytes < 0 };
  }
}

function again(error: unknown, backoffMs: number): number | undefined {
  if (!(error instanceof WebFailure) || error.retryAfterMs === undefined) return undefined;
  const waitMs = Math.max(error.retryAfterMs, backoffMs);
  return waitMs > longestWaitMs ? undefined : waitMs;
}

const siteOf = (url: URL): string => hostOf(url).replace(/^www\./, '');

const isRedirect = ({ status }: Response): boolean => [301, 302, 303, 307, 308].includes(status);

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/**
 * Resolves with the result of `work`. Rejects on abort; `work`, a name lookup, cannot be cancelled,
 * and its result is then ignored.
 */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function refused(url: URL, { status, statusText, headers }: Response, nowMs: number): WebFailure {
  const afterMs = retryAfterMs(headers.get('retry-after'), nowMs) ?? 0;
  const later = afterMs > 0 ? ` Retry in ${formatDuration(afterMs)}.` : '';
  const reasonPhrase = oneLine(cleanText(statusText), 60);
  return new WebFailure(
    'status',
    `${hostOf(url)} answered ${status}${reasonPhrase && ` ${reasonPhrase}`}.${later}`,
    {
      status,
      ...((status === 429 || status >= 500) && { retryAfterMs: afterMs }),
    },
  );
}

function noAnswer(host: string, error: unknown): WebFailure {
  const cause = innermost(error);
  const why =
    codeOf(cause) === 'ENOTFOUND' ? 'there is no such host' : oneLine(messageOf(cause), 200);
  return new WebFailure('network', `Cannot read ${host}: ${why}.`, { cause: error });
}

const innermost = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? innermost(error.cause) : error;
