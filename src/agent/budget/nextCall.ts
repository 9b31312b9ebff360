/**
 * Decides whether the limits cover the highest possible cost of the next call, and how long its
 * reply may be.
 */
import type { Cost } from '../../models/prices.ts';
import { isHard, type Measure } from './measures.ts';

export interface NextCall {
  /** Number of tokens of the whole request. */
  readonly contextTokens: number;
  /** Maximum output tokens of the call if there were no limits. */
  readonly maxOutputTokens: number;
  /** Returns the highest possible cost of the call for a reply of `outputTokens`. */
  worstCost(outputTokens: number): Cost;
}

/**
 * - `fits`: the call may be made with a reply of `maxOutputTokens`
 * - `over`: the remainder of the limit `measure` does not cover the call with the smallest useful
 * reply, which can use up to `needs` (in the limit's unit)
 * - `unpriced`: the price of the call is unknown
 */
export type Affordable =
  | { readonly kind: 'fits'; readonly maxOutputTokens: number }
  | { readonly kind: 'over'; readonly measure: Measure; readonly needs: number }
  | { readonly kind: 'unpriced'; readonly why: string };

/**
 * Smallest useful maximum length of a reply, in tokens. With a smaller maximum, most replies would
 * be truncated, so the session ends instead.
 */
export const minOutputTokens = 4_096;

/**
 * Returns how long the reply may be, so that the call cannot exceed a limit of the goal or the day.
 * A limit of an experiment can shorten the reply, but never prevents the call, because the call may
 * launch the next experiment, which gets a new allowance.
 */
export function affordable(measures: readonly Measure[], call: NextCall): Affordable {
  const min = Math.min(minOutputTokens, call.maxOutputTokens);
  let maxOutputTokens = call.maxOutputTokens;
  for (const measure of measures) {
    const output = outputWithin(measure, call);
    if (typeof output === 'string') return { kind: 'unpriced', why: output };
    if (output < min && isHard(measure))
      return { kind: 'over', measure, needs: needsOf(measure, call, min) };
    maxOutputTokens = Math.min(maxOutputTokens, Math.max(min, output));
  }
  return { kind: 'fits', maxOutputTokens };
}

/**
 * Returns how many output tokens the remainder of a limit covers, or why this number is unknown.
 */
function outputWithin(measure: Measure, call: NextCall): number | string {
  const rest = measure.of - measure.used;
  if (measure.limit === 'tokens') return Math.floor(rest - call.contextTokens);
  if (measure.limit !== 'usd') return Infinity;
  const [request, whole] = [call.worstCost(0), call.worstCost(call.maxOutputTokens)];
  if ('unknown' in request) return request.unknown;
  if ('unknown' in whole) return whole.unknown;
  const perToken = (whole.usd - request.usd) / call.maxOutputTokens;
  if (perToken <= 0) return request.usd <= rest ? Infinity : 0;
  return Math.floor((rest - request.usd) / perToken);
}

function needsOf({ limit }: Measure, call: NextCall, outputTokens: number): number {
  if (limit === 'tokens') return call.contextTokens + outputTokens;
  const cost = call.worstCost(outputTokens);
  return 'usd' in cost ? cost.usd : 0;
}
