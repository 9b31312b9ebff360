/** Sends requests about models and their properties to an endpoint. */
import { CallFailed } from '../guarded.ts';
import { isRecord } from '../textTools/records.ts';

export interface Endpoint {
  /** Without a trailing slash, such as `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string;
  /** API key. If empty, no key is sent. */
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch: typeof globalThis.fetch;
}

/**
 * Requests a path below the base address (`/models`) or below the server's root
 * (`server:/api/tags`), and resolves with the parsed JSON. Uses POST if there is a `body`.
 */
export type AskJson = (path: string, body?: unknown) => Promise<unknown>;

/**
 * Returns a function that sends requests to the endpoint. The function rejects in the same way as
 * the SDKs: with an error that has the HTTP status as `status` if the endpoint refuses the request,
 * and with the error of `fetch` if the endpoint cannot be reached.
 */
export const askJson =
  ({ baseUrl, key, headers, fetch }: Endpoint, signal: AbortSignal): AskJson =>
  async (path, body) => {
    const server = baseUrl.replace(/\/v\d+$/, '');
    const url = path.startsWith('server:')
      ? `${server}${path.slice('server:'.length)}`
      : `${baseUrl}${path}`;
    const response = await fetch(url, {
      signal,
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== '' && { authorization: `Bearer ${key}` }),
        ...headers,
      },
    });
    const text = await response.text();
    if (!response.ok) throw Object.assign(new Error(messageIn(text)), { status: response.status });
    return parsed(text, url);
  };

function parsed(text: string, url: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const message = `${url} did not answer in JSON. Check the base URL: most end in /v1.`;
    throw new CallFailed({ reason: 'invalid', message });
  }
}

function messageIn(text: string): string {
  try {
    const { error, message } = JSON.parse(text) as Record<string, unknown>;
    const detail = isRecord(error) ? error.message : (error ?? message);
    return typeof detail === 'string' ? detail : text;
  } catch {
    return text;
  }
}
