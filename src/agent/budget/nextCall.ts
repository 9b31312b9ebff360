/**
 * Decides whether the next call can be paid for in the worst case, and how long its reply may be.
 */
import type { Cost } from '../../models/prices.ts';
import { isHard, type Measure } from './measures.ts';

export interface NextCall {
  /** Tokens of the whole request. */
  readonly contextTokens: number;
  /** Tokens of the longest reply to ask for without any limit. */
  readonly maxOutputTokens: number;
  /** Returns the maximum cost of the call with a reply of this size. */
  worstCost(outputTokens: number): Cost;
}

/**
 * `over`: the remainder of `measure` does not pay for the smallest useful reply, which can take
 * `needs` of its unit.
 */
export type Affordable =
  | { readonly kind: 'fits'; readonly maxOutputTokens: number }
  | { readonly kind: 'over'; readonly measure: Measure; readonly needs: number }
  | { readonly kind: 'unpriced'; readonly why: string };

/** Smallest useful reply. Below it, ending the session is better than cutting every reply. */
export const minOutputTokens = 4_096;

/**
 * Returns the longest reply that cannot exceed a limit of goal or day. The allowance of an
 * experiment shortens the reply too, but never prevents the call, because another experiment can
 * follow.
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

/** Returns the reply tokens that the remainder of a limit pays for, or why that is unknown. */
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
