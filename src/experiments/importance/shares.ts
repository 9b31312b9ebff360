/** Estimates the share of the variance that the main effect of a parameter explains. */
import { addTo, product, type Column } from './columns.ts';
import { gammaBelow } from './distributions.ts';
import type { Gram } from './gram.ts';

export interface Share {
  /** Estimate, from 0 to 1, corrected for what chance explains. */
  readonly share: number;
  /** Ends of the interval that contains the true share in 90 of 100 studies. */
  readonly low: number;
  readonly high: number;
}

export interface Fit {
  /** The values, with mean 0. */
  readonly y: Column;
  /** Variance of single runs that the variance of `y` lacks, because `y` are means of repeats. */
  readonly extra: number;
  /** All columns of the regression. */
  readonly columns: readonly Column[];
  /** Indexes of the columns of the parameter. */
  readonly own: readonly number[];
  /** The regression of `y` on the parameter and on all others that matter. */
  readonly gram: Gram;
}

/** Probability of each side that the interval leaves out. */
const tail = 0.05;
/** Noncentrality at which the seen spread weighs as much as the spread expected beforehand. */
const priorWeight = 4;
/** The spread that a main effect of a usual shape has. */
const usualSpread = 2.5;
const maxSpread = 12;
/** Share, times the number of settings, by which small studies are less certain. */
const smallStudy = 8;

/**
 * Returns the share of the variance between runs, and its interval: the noncentralities at which the
 * seen sum of squares, or a more extreme one, would have the probability `tail`.
 */
export function shareOf(fit: Fit): Share {
  const { y, extra, columns, gram } = fit;
  const own = fit.own.filter((at) => gram.has(at));
  const effect = sumOf(fit, own);
  const error = sumOf(fit, [...columns.keys()]).map((value, row) => (y[row] ?? 0) - value);
  const { squares, columns: freedom } = gram.explained(own);
  const below = Math.max(1, y.length - 1 - gram.used);
  const rows = y.length - 1 - gram.used + freedom;
  const noise = product(error, error) / below;
  const explained = Math.max(0, squares - freedom * noise) / rows;
  const without = y.map((value, row) => value - (effect[row] ?? 0));
  // Squares that parameters explain together may be attributed to one and taken from the other.
  const most = (2 * product(y, y)) / (y.length - 1);
  const others = (product(without, without) + freedom * noise) / (y.length - 1);
  const rest = Math.max(Math.min(others, most) + extra, noise);
  const share = explained === 0 ? 0 : explained / (explained + rest);
  if (noise === 0 || freedom === 0) return { share, low: share, high: share };
  const spread = spreadOf({ effect, error, without, rest, noise, explained, rows });
  const variance = (at: number): number =>
    2 * freedom + (2 * freedom ** 2) / below + spread.noise * at + (spread.effect * at ** 2) / rows;
  const ends = noncentrality(squares / noise, (at) => freedom + at, variance);
  const shareAt = (at: number): number => (at * noise) / (at * noise + rest * rows);
  return { share, low: shareAt(ends.low), high: shareAt(ends.high) };
}

/** Returns the sum of columns, each times its coefficient. */
function sumOf({ y, columns, gram }: Fit, of: readonly number[]): Column {
  const sum = new Float64Array(y.length);
  for (const at of of) {
    const column = columns[at];
    if (column !== undefined && gram.has(at)) addTo(sum, gram.coefficient(at), column);
  }
  return sum;
}

interface Parts {
  /** The fitted effect of the parameter. */
  readonly effect: Column;
  /** Squares that the regression leaves unexplained. */
  readonly error: Column;
  /** The values without the fitted effect. */
  readonly without: Column;
  readonly rest: number;
  readonly noise: number;
  readonly explained: number;
  readonly rows: number;
}

/**
 * Computes how the variance of the sum of squares grows with the noncentrality: by noise that differs
 * along the effect, and by settings that were drawn at random. Of a weak effect, mostly the usual.
 */
function spreadOf(parts: Parts): { readonly noise: number; readonly effect: number } {
  const { effect, error, without, rest, noise, explained, rows } = parts;
  const n = effect.length;
  const effectSize = product(effect, effect) / n || 1;
  const errorSize = product(error, error) / n || 1;
  let [alongEffect, drawn] = [0, 0];
  for (let row = 0; row < n; row += 1) {
    const square = (effect[row] ?? 0) ** 2 / effectSize;
    alongEffect += (square * (error[row] ?? 0) ** 2) / errorSize / n;
    drawn += (square - (without[row] ?? 0) ** 2 / rest) ** 2 / n;
  }
  const seen = (rows * explained) / noise;
  const weight = seen / (seen + priorWeight);
  const small = 1 + smallStudy / rows;
  return {
    noise: 4 * small * (weight * alongEffect + 1 - weight),
    effect: small * (weight * Math.min(drawn, maxSpread) + (1 - weight) * usualSpread),
  };
}

/**
 * Finds the smallest and the largest noncentrality that do not make the seen value too unlikely. The
 * distribution is approximated by a scaled chi-squared one of the same mean and variance (Patnaik).
 */
function noncentrality(
  seen: number,
  mean: (at: number) => number,
  variance: (at: number) => number,
): { readonly low: number; readonly high: number } {
  const below = (at: number): number =>
    gammaBelow(mean(at) ** 2 / variance(at), (seen * mean(at)) / variance(at));
  return {
    low: lastWhere((at) => 1 - below(at) < tail, seen),
    high: lastWhere((at) => below(at) > tail, seen),
  };
}

/** Returns the end of the range from 0 in which a condition holds; 0 if it never holds. */
function lastWhere(holds: (at: number) => boolean, scale: number): number {
  if (!holds(0)) return 0;
  let [from, to] = [0, scale + 1];
  for (let tries = 0; tries < 40 && holds(to); tries += 1) to *= 2;
  for (let tries = 0; tries < 40; tries += 1) {
    const middle = (from + to) / 2;
    if (holds(middle)) from = middle;
    else to = middle;
  }
  return from;
}
