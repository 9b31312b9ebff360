import type { GoogleGenAI } from '@google/genai/web';
import { retryDelayMs, toThrown } from './geminiFailures.ts';

export interface GeminiAddress {
  /** Address without the version of the API, which the SDK appends. */
  readonly baseUrl: string;
  /** Fetches with the configured proxies and certificates. Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/**
 * Loads the SDK on the first call. Uses the build of the SDK for browsers, which authenticates with
 * keys alone. The build for Node includes the sign-in of Google Cloud, and would read the key,
 * address or project of another account from the environment.
 */
export async function geminiClient(
  apiKey: string,
  { baseUrl, fetch = globalThis.fetch }: GeminiAddress,
): Promise<GoogleGenAI> {
  const { GoogleGenAI: Client } = await import('@google/genai/web');
  return new Client({ apiKey, httpOptions: { baseUrl, apiVersion, fetch: refusing(fetch) } });
}

/** This version of the API includes the preview models. */
const apiVersion = 'v1beta';

/**
 * Wraps `fetch` and throws refusals before the SDK sees them: the SDK's own errors have neither
 * headers nor the provider's name for the kind of error.
 */
const refusing =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (response.ok) return response;
    const body = await response.text();
    const headers = new Headers(response.headers);
    const delayMs = retryDelayMs(body);
    if (delayMs !== undefined) headers.set('retry-after-ms', String(delayMs));
    throw toThrown(body, response.status, headers);
  };
