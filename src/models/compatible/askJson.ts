/**
 * Small questions to an endpoint beside Chat Completions: what models it has, and what it knows of
 * them.
 */
import { CallFailed } from '../guarded.ts';
import { isRecord } from '../textTools/records.ts';

export interface Endpoint {
  /** Without a slash at its end, such as `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string;
  /** Empty: none is sent. */
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch: typeof globalThis.fetch;
}

/**
 * Asks a path under the address (`/models`), or under the server (`server:/api/tags`); with `body`,
 * by POST.
 */
export type AskJson = (path: string, body?: unknown) => Promise<unknown>;

/**
 * Rejects with what the SDKs would: an error with the `status` of a refusal, or the failure of
 * `fetch`.
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
    const message = `${url} does not answer in JSON. Check the base URL: most end in /v1.`;
    throw new CallFailed({ reason: 'invalid', message });
  }
}

function messageIn(text: string): string {
  try {
    const { error, message } = JSON.parse(text) as Record<string, unknown>;
    const told = isRecord(error) ? error.message : (error ?? message);
    return typeof told === 'string' ? told : text;
  } catch {
    return text;
  }
}
