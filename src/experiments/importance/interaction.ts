/** Finds the pair of parameters that acts together beyond the effect of each. */
import { shuffle } from '../../base/random.ts';
import { orthonormal, product, scaled, squaresIn, subtractPart, type Column } from './columns.ts';
import { normalOfF } from './distributions.ts';
import type { Factor } from './factors.ts';

export interface Interaction {
  readonly names: readonly [string, string];
  /** Estimated share of the variance, from 0 to 1, corrected for what chance explains. */
  readonly share: number;
}

interface Pair {
  readonly names: readonly [string, string];
  /** Orthonormal basis of what the products of the two add to the effect of each. */
  readonly basis: readonly Column[];
}

const chanceLimit = 0.05;
const shuffles = 99;
/** Number of settings per column of a pair, and the largest number of columns. */
const settingsPerColumn = 8;
const maxColumns = 9;
/** Number of parameters that matter most, one of which is in each pair. */
const maxLeading = 3;

/**
 * Returns the strongest pair with one of the parameters that matter most; `undefined` if chance
 * makes any pair as strong in 5 % of the cases.
 *
 * @param claims the indexes of the parameters that matter
 */
export function interactionOf(
  y: Column,
  factors: readonly Factor[],
  claims: readonly number[],
  { extra, random }: { readonly extra: number; readonly random: () => number },
): Interaction | undefined {
  const known = orthonormal(claims.flatMap((index) => factors[index]?.columns ?? []));
  const pairs = pairsOf(factors, claims, known);
  const rest = y.slice();
  subtractPart(rest, known);
  const freedom = y.length - 1 - known.length;
  const strengths = strengthsOf(rest, pairs, product(rest, rest), freedom);
  const best = Math.max(...strengths);
  const pair = pairs[strengths.indexOf(best)];
  if (pair === undefined || best === -Infinity) return undefined;
  const isAsStrong = (shuffled: Column): boolean => {
    const left = product(shuffled, shuffled) - squaresIn(shuffled, known);
    return Math.max(...strengthsOf(shuffled, pairs, left, freedom)) >= best;
  };
  if (isChance(rest, isAsStrong, random)) return undefined;
  const explained = squaresIn(rest, pair.basis);
  const noise = (product(rest, rest) - explained) / (freedom - pair.basis.length);
  const total = product(y, y) / (y.length - 1) + extra;
  const share = Math.max(0, explained - pair.basis.length * noise) / freedom / total;
  return { names: pair.names, share: Math.min(1, share) };
}

/** Whether more than few of the shuffles of the values are as strong. */
function isChance(
  values: Column,
  isAsStrong: (shuffled: Column) => boolean,
  random: () => number,
): boolean {
  const shuffled = values.slice();
  let asStrong = 1;
  for (let made = 0; made < shuffles; made += 1) {
    shuffle(shuffled, random);
    if (isAsStrong(shuffled)) asStrong += 1;
    if (asStrong > chanceLimit * (shuffles + 1)) return true;
  }
  return false;
}

function pairsOf(
  factors: readonly Factor[],
  claims: readonly number[],
  known: readonly Column[],
): readonly Pair[] {
  const leading = claims.slice(0, maxLeading);
  return factors.flatMap((one, first) =>
    factors.slice(first + 1).flatMap((other, after): Pair[] => {
      const pair = [first, first + 1 + after];
      if (!pair.some((index) => leading.includes(index))) return [];
      const unknown = pair.filter((index) => !claims.includes(index));
      const parents = orthonormal(
        unknown.flatMap((index) => factors[index]?.columns ?? []),
        known,
      );
      const basis = orthonormal(products(one, other), [...known, ...parents]);
      const room = Math.min(maxColumns, Math.floor(one.values.length / settingsPerColumn));
      return basis.length === 0
        ? []
        : [{ names: [one.name, other.name], basis: basis.slice(0, room) }];
    }),
  );
}

/** Returns the products of the ranks of numbers, or of the levels of categories. */
function products(one: Factor, other: Factor): Column[] {
  const of = ({ kind, columns }: Factor): readonly Column[] =>
    (kind === 'number' ? columns.slice(0, 1) : columns).map(scaled);
  return of(one).flatMap((a) => of(other).map((b) => a.map((value, row) => value * (b[row] ?? 0))));
}

const strengthsOf = (
  rest: Column,
  pairs: readonly Pair[],
  squares: number,
  freedom: number,
): number[] =>
  pairs.map(({ basis }) => {
    const explained = squaresIn(rest, basis);
    const below = freedom - basis.length;
    if (below < 3) return -Infinity;
    const left = Math.max(squares - explained, Number.MIN_VALUE);
    return normalOfF(explained / basis.length / (left / below), basis.length, below);
  });
