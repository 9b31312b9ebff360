/**
 * Whether the next call can be paid for in the worst case, and how long its reply may be then.
 * Pure.
 */
import type { Cost } from '../../models/prices.ts';
import { isHard, type Measure } from './measures.ts';

export interface NextCall {
  /** Of the whole request. */
  readonly contextTokens: number;
  /** The longest reply that would be asked for without any limit. */
  readonly maxOutputTokens: number;
  /** The most that a call of such a size costs. */
  worstCost(outputTokens: number): Cost;
}

/**
 * `over`: what is left of `measure` does not pay for the smallest useful reply, which can take
 * `needs` of its unit.
 */
export type Affordable =
  | { readonly kind: 'fits'; readonly maxOutputTokens: number }
  | { readonly kind: 'over'; readonly measure: Measure; readonly needs: number }
  | { readonly kind: 'unpriced'; readonly why: string };

/** A shorter reply is of no use: rather end than be cut in the middle of every thought. */
export const minOutputTokens = 4_096;

/**
 * The longest reply that no limit of goal and day can be passed by. The allowance of an experiment
 * makes a reply shorter too; but there is always another experiment, so it never keeps the call
 * from being made.
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

/** How many tokens of a reply the rest of a limit pays for; why it cannot be told. */
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
