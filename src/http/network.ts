/**
 * Provides a `fetch` that connects directly or through a proxy, and trusts additional certificates.
 */
import { readFile } from 'node:fs/promises';
import type { LookupFunction } from 'node:net';
import tls from 'node:tls';
import type * as Undici from 'undici';
import { codeOf, messageOf, UserFacing } from '../base/errors.ts';
import { parseProxy } from './proxy.ts';

export interface NetworkSettings {
  /**
   * URL of the proxy: `http://`, `https://` or `socks5://`, with user name and password if needed.
   */
  readonly proxy?: string;
  /**
   * Hosts that are reached without the proxy, separated by commas, as in `NO_PROXY`. This computer
   * is always reached without the proxy.
   */
  readonly noProxy?: string;
  /** PEM file with certificates to trust in addition to those that Node trusts. */
  readonly caFile?: string;
}

type Fetch = typeof globalThis.fetch;

/**
 * Returns a `fetch` that reads the settings at each call. Without settings, the function calls the
 * global `fetch`, which in VS Code uses the proxy and the certificates of the window. If a server's
 * certificate is not trusted, the function retries once with the certificates of the operating
 * system and also uses them in later calls. Rejects like `fetch`, or with `UserFacing` for a wrong
 * setting, an untrusted certificate, or a proxy that needs a password.
 */
export function createFetch(settings: () => NetworkSettings): Fetch {
  const routes = new Map<string, Promise<Undici.Dispatcher>>();
  let trustsSystem = false;

  const through = async (
    route: NetworkSettings,
    ...[input, init]: Parameters<Fetch>
  ): Promise<Response> => {
    if (route.proxy === undefined && route.caFile === undefined && !trustsSystem)
      return globalThis.fetch(input, init);
    const key = JSON.stringify([route, trustsSystem]);
    const dispatcher = routes.get(key) ?? openRoute(route, trustsSystem);
    routes.set(key, dispatcher);
    dispatcher.catch(() => routes.delete(key));
    const { fetch } = await loadUndici();
    // Both `fetch` functions implement the same standard, but their types are unrelated.
    const call = fetch as unknown as (input: unknown, init: unknown) => Promise<Response>;
    return call(input, { ...init, dispatcher: await dispatcher }).catch((error: unknown) => {
      throw route.proxy === undefined ? error : (proxyFault(error, route.proxy) ?? error);
    });
  };

  const attempt = async (...[input, init]: Parameters<Fetch>): Promise<Response> => {
    const route = settings();
    try {
      return await through(route, input, init);
    } catch (error) {
      if (trustsSystem || !isUntrusted(error) || !isRepeatable(init?.body)) throw error;
      trustsSystem = true;
      return through(route, input, init);
    }
  };
  return (input, init) =>
    attempt(input, init).catch((error: unknown) => {
      throw certificateFault(error) ?? error;
    });
}

/**
 * Opens a dispatcher that only the caller uses, and must destroy. The dispatcher also trusts the
 * certificates of the operating system. Direct connections resolve names with `lookup`. Rejects
 * with `UserFacing` for a wrong setting.
 */
export const openDispatcher = (
  settings: NetworkSettings,
  lookup: LookupFunction,
): Promise<Undici.Dispatcher> => {
  const { proxy, noProxy, caFile } = settings;
  return openRoute(
    { ...(proxy && { proxy }), ...(noProxy && { noProxy }), ...(caFile && { caFile }) },
    true,
    lookup,
  );
};

/**
 * Loads undici on first use. Casts the default export: its types are incomplete, and the bundled
 * extension has no other export of undici.
 */
const loadUndici = async (): Promise<typeof Undici> =>
  (await import('undici')).default as Partial<typeof Undici> as typeof Undici;

async function openRoute(
  { proxy, noProxy, caFile }: NetworkSettings,
  trustsSystem: boolean,
  lookup?: LookupFunction,
): Promise<Undici.Dispatcher> {
  const ca = [
    ...tls.getCACertificates('default'),
    ...(trustsSystem ? tls.getCACertificates('system') : []),
    ...(caFile === undefined ? [] : [await certificates(caFile)]),
  ];
  const { Agent, EnvHttpProxyAgent } = await loadUndici();
  const connect = { ca, ...(lookup && { lookup }) };
  if (proxy === undefined) return new Agent({ connect });
  const uri = parseProxy(proxy).href;
  return new EnvHttpProxyAgent({
    httpProxy: uri,
    httpsProxy: uri,
    noProxy: [
      'localhost',
      '127.0.0.1',
      '::1',
      '[::1]',
      ...(noProxy === undefined ? [] : [noProxy]),
    ].join(','),
    connect,
    requestTls: { ca },
    proxyTls: { ca },
  });
}

async function certificates(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UserFacing(
      `Cannot read the certificate file ${file}: ${messageOf(error)}`,
      'Set caFile (in VS Code: helios.network.caFile) to a PEM file, or leave it empty.',
    );
  });
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new UserFacing(
    `${file} contains no certificate.`,
    'Use a PEM file, with BEGIN CERTIFICATE lines. Convert a DER file with: openssl x509 -inform der.',
  );
}

/**
 * Returns whether a request with this body can be repeated. Returns false for a stream, since the
 * first attempt consumes it.
 */
const isRepeatable = (body: unknown): boolean =>
  body === undefined || body === null || typeof body === 'string';

const untrusted =
  /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?)$/;

const badCertificate = new RegExp(`${untrusted.source}|^(CERT_|ERR_TLS_CERT)`);

const isUntrusted = (error: unknown): boolean =>
  causes(error).some((cause) => untrusted.test(codeOf(cause) ?? ''));

/**
 * Returns an error that names the proxy, if the proxy caused `error`; otherwise `undefined`. The
 * error is a `UserFacing` if the proxy needs a password. Any other error has the code of the
 * network error, so that callers treat the error as temporary.
 */
function proxyFault(error: unknown, proxy: string): Error | undefined {
  const url = parseProxy(proxy);
  const all = causes(error);
  if (all.some((cause) => /\b407\b/.test(messageOf(cause))))
    return new UserFacing(
      `The proxy ${url.host} needs a user name and a password (407).`,
      'Add them to its address: http://user:password@host:port, with special characters percent-encoded.',
    );
  const proxyError = all.find((cause) => isAbout(cause, url));
  if (proxyError === undefined) return undefined;
  return Object.assign(new Error(`The proxy ${url.host} does not answer: ${proxyError.message}`), {
    code: codeOf(proxyError),
  });
}

const defaultPorts: Readonly<Record<string, string>> = {
  'http:': '80',
  'https:': '443',
  'socks5:': '1080',
};

function isAbout(cause: Error, { hostname, port, protocol }: URL): boolean {
  if ('hostname' in cause) return cause.hostname === hostname;
  return 'port' in cause && String(cause.port) === (port || defaultPorts[protocol]);
}

function certificateFault(error: unknown): UserFacing | undefined {
  const fault = causes(error).find((cause) => badCertificate.test(codeOf(cause) ?? ''));
  return (
    fault &&
    new UserFacing(
      `The certificate of the server is not trusted: ${fault.message}.`,
      'If your network inspects TLS connections, set caFile (in VS Code: helios.network.caFile) to a PEM file with the root certificate of the network.',
    )
  );
}

/** Returns the error and its causes, outermost first. */
function causes(error: unknown): Error[] {
  const found: Error[] = [];
  for (let next = error; next instanceof Error && found.length < 8; next = next.cause) {
    found.push(next);
    if (next instanceof AggregateError)
      found.push(...next.errors.filter((each) => each instanceof Error));
  }
  return found;
}
