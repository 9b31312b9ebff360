import type { GoogleGenAI } from '@google/genai/web';
import { retryDelayMs, toThrown } from './geminiFailures.ts';

export interface GeminiAddress {
  /** Without the version of the API, which the SDK adds. */
  readonly baseUrl: string;
  /** The way to the network; the global one unless told. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/**
 * Loads the SDK on the first call: the build that knows keys alone. The one for Node would take
 * another account's key, address or project from the environment, and brings the sign-in of Google
 * Cloud along.
 */
export async function geminiClient(
  apiKey: string,
  { baseUrl, fetch = globalThis.fetch }: GeminiAddress,
): Promise<GoogleGenAI> {
  const { GoogleGenAI: Client } = await import('@google/genai/web');
  return new Client({ apiKey, httpOptions: { baseUrl, apiVersion, fetch: refusing(fetch) } });
}

/** It has the previews too, which the SDK's own choice has not. */
const apiVersion = 'v1beta';

/**
 * The SDK's own errors have neither headers nor the provider's word for the kind, so refusals are
 * thrown before it sees them.
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
