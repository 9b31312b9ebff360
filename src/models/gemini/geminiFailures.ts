/** Converts Gemini's errors to the shape that `failureOf` recognises. */
import * as z from 'zod';

const errorBody = z.object({
  error: z.object({
    message: z.string().default(''),
    /** For example `RESOURCE_EXHAUSTED`. */
    status: z.string().default(''),
    details: z.array(z.looseObject({})).default([]),
  }),
});

type ErrorBody = z.infer<typeof errorBody>['error'];

/** Returns an error with `status`, `headers` and `error`, as the other SDKs throw them. */
export function toThrown(text: string, status: number, headers?: Headers): Error {
  const body = parsed(text);
  const message = body?.message ?? text;
  return Object.assign(new Error(message), {
    status,
    headers,
    error: { message, type: body && kindOf(body, status) },
  });
}

/** Returns the waiting time that the service requests by `RetryInfo`. */
export function retryDelayMs(text: string): number | undefined {
  for (const { retryDelay } of parsed(text)?.details ?? []) {
    const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(String(retryDelay)) ?? [];
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1000);
  }
  return undefined;
}

/** Yields the chunks. Converts errors of the stream so that `failureOf` recognises them. */
export async function* readable<T>(chunks: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* chunks;
  } catch (error) {
    throw streamError(error);
  }
}

/** Converts an error of a stream. The SDK describes such an error only in its message. */
function streamError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'ApiError' && 'status' in error && typeof error.status === 'number')
    return toThrown(error.message.slice(error.message.indexOf('{')), error.status);
  // The stream ended within an event, for example because a proxy closed the connection.
  return /^(Incomplete JSON segment|exception parsing stream chunk)/.test(error.message)
    ? new SyntaxError(error.message)
    : error;
}

function parsed(text: string): ErrorBody | undefined {
  try {
    return errorBody.safeParse(JSON.parse(text)).data?.error;
  } catch {
    return undefined;
  }
}

/**
 * Returns the status and the reasons in the details of an error. Only the reasons show that a key
 * is wrong.
 */
function kindOf({ message, status, details }: ErrorBody, httpStatus: number): string {
  const words = [
    status,
    ...details.map(({ reason }) => (typeof reason === 'string' ? reason : '')),
  ];
  // The free plan has no quota for this model, so waiting does not help.
  if (httpStatus === 429 && /\blimit: 0\b/.test(message)) words.push('insufficient_quota');
  return words.filter((word) => word !== '').join(' ');
}
