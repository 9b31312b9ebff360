/**
 * Converts errors that only the back end of ChatGPT reports: limits of the plan, and error bodies
 * that the SDK cannot read.
 */
import * as z from 'zod';
import { formatDuration } from '../../base/text.ts';
import type { ModelFailure } from '../model.ts';

const shape = z.object({
  status: z.number().optional(),
  error: z.object({
    type: z.string().nullish(),
    code: z.string().nullish(),
    plan_type: z.string().nullish(),
    /** Seconds since the epoch. */
    resets_at: z.number().nullish(),
    resets_in_seconds: z.number().nullish(),
  }),
});

/**
 * Returns the failure if the plan's limit is reached or the plan does not include the model;
 * `undefined` for any other error.
 */
export function planFailure(error: unknown, nowMs: number): ModelFailure | undefined {
  const { data } = shape.safeParse(error);
  if (data === undefined) return undefined;
  const { error: planError, status } = data;
  const kind = [planError.type, planError.code].join(' ');
  const ofPlan = planError.plan_type
    ? `Your ChatGPT plan (${planError.plan_type})`
    : 'Your ChatGPT plan';
  const withStatus = status === undefined ? {} : { status };
  if (/usage_not_included/.test(kind))
    return {
      reason: 'auth',
      message: `${ofPlan} does not include this model. Use an API key, or another plan.`,
      ...withStatus,
    };
  if (!/usage_limit_(reached|exceeded)/.test(kind)) return undefined;
  const resetMs = resetOf(planError, nowMs);
  const when =
    resetMs === undefined
      ? 'It resets later'
      : `It resets in ${formatDuration(resetMs - nowMs)}, ${clockText(resetMs)}`;
  return {
    reason: 'rate_limit',
    message: `${ofPlan} has reached its usage limit. ${when}.`,
    ...withStatus,
    ...(resetMs !== undefined && { retryAfterMs: resetMs - nowMs }),
  };
}

type PlanError = z.infer<typeof shape>['error'];

function resetOf(
  { resets_at: at, resets_in_seconds: seconds }: PlanError,
  nowMs: number,
): number | undefined {
  if (typeof seconds === 'number') return nowMs + Math.max(0, seconds) * 1000;
  return typeof at === 'number' ? Math.max(nowMs, at * 1000) : undefined;
}

/** Formats a time as `at 2026-01-01 14:05 UTC`. */
const clockText = (ms: number): string =>
  `at ${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const detailShape = z.object({
  detail: z.union([z.string(), z.object({ code: z.string().optional() })]),
});

/**
 * Wraps `fetch` to rewrite errors in the format of the API. The back end sends some errors as
 * `{"detail": …}`, whose text the SDK would lose.
 */
export function withReadableErrors(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.ok) return response;
    const text = await response.text();
    const { status, statusText, headers } = response;
    return new Response(readable(text), { status, statusText, headers: plain(headers) });
  };
}

function readable(text: string): string {
  try {
    const { data } = detailShape.safeParse(JSON.parse(text));
    if (data === undefined) return text;
    const { detail } = data;
    const error =
      typeof detail === 'string'
        ? { message: detail }
        : { message: detail.code ?? 'refused', code: detail.code };
    return JSON.stringify({ error });
  } catch {
    return text;
  }
}

/**
 * Returns the headers without those about the encoding of the body: the body is already decoded.
 */
function plain(headers: Headers): Headers {
  const remaining = new Headers(headers);
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding'])
    remaining.delete(name);
  return remaining;
}
