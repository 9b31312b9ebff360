/**
 * Decides which parameters matter. A parameter is claimed only if chance rarely makes any of the
 * parameters as strong: the values are shuffled, and the search is repeated on each shuffle.
 */
import { shuffle } from '../../base/random.ts';
import { addTo, product, type Column } from './columns.ts';
import { normalOfF } from './distributions.ts';
import { Gram } from './gram.ts';

/** The columns of parameters, scaled to mean 0 and length 1. */
export interface Design {
  readonly columns: readonly Column[];
  readonly parameters: readonly DesignParameter[];
}

export interface DesignParameter {
  /** Indexes of its columns. */
  readonly columns: readonly number[];
  /** Whether its first columns alone are a simpler form of its effect. */
  readonly isOrdered: boolean;
}

/** Probability of any claim where nothing matters. */
const falseClaims = 0.04;
/** Share of the claims after the first that may be false (the rule ForwardStop of G'Sell and others). */
const laterFalseClaims = 0.07;
/** Thoroughness of the search, by the number of settings: what many settings need less takes longer. */
const efforts: readonly Effort[] = [
  { upTo: 80, depth: 7, quickShuffles: 99, shuffles: 399 },
  { upTo: 250, depth: 4, quickShuffles: 99, shuffles: 399 },
  { upTo: Infinity, depth: 0, quickShuffles: 25, shuffles: 199 },
];
/** Number of settings that must be left per parameter that is looked at. */
const settingsLeft = 6;

interface Effort {
  readonly upTo: number;
  /** Number of parameters that are added before the others are looked at. */
  readonly depth: number;
  /** Number of shuffles after which a parameter that none of them reached is claimed. */
  readonly quickShuffles: number;
  readonly shuffles: number;
}

/** Returns the indexes of the parameters that matter, in the order in which they were found. */
export function claimsOf(y: Column, design: Design, random: () => number): readonly number[] {
  const search = new Search(y, design);
  const claims: number[] = [];
  let spent = 0;
  while (claims.length < design.parameters.length) {
    const allowed = 1 - Math.exp(spent - falseClaims - claims.length * laterFalseClaims);
    const { index, chance } = search.next(allowed, random);
    if (chance > allowed) break;
    spent -= Math.log(1 - chance);
    claims.push(index);
    search.claim(index);
  }
  return claims;
}

/** Columns of a parameter, with the strength of what they explain. */
interface Part {
  readonly strength: number;
  readonly columns: readonly number[];
}

const noPart: Part = { strength: -Infinity, columns: [] };

class Search {
  readonly #y: Column;
  readonly #design: Design;
  /** The forms of each parameter, the simplest first: the columns of each. */
  readonly #prefixes: readonly (readonly (readonly number[])[])[];
  readonly #claimed = new Set<number>();
  /** The regression on the claimed parameters. */
  readonly #base: Gram;
  readonly #scratch: Gram;
  readonly #products: Float64Array;
  /** Squares that the claimed parameters leave unexplained. */
  readonly #rest: Column;
  readonly #effort: Effort | undefined;

  constructor(y: Column, design: Design) {
    this.#y = y;
    this.#design = design;
    this.#prefixes = design.parameters.map(({ columns, isOrdered }) =>
      isOrdered ? columns.map((_, at) => columns.slice(0, at + 1)) : [columns],
    );
    this.#base = Gram.of(design.columns);
    this.#scratch = this.#base.copy();
    this.#products = new Float64Array(design.columns.length);
    this.#rest = y.slice();
    this.#effort = efforts.find(({ upTo }) => y.length <= upTo);
  }

  /** Returns the strongest parameter, and how often chance makes any as strong. */
  next(allowed: number, random: () => number): { index: number; chance: number } {
    const strengths = this.#strengths(this.#rest);
    const best = Math.max(...strengths);
    const index = strengths.indexOf(best);
    if (best === -Infinity) return { index, chance: 1 };
    const shuffled = this.#rest.slice();
    const { shuffles = 0, quickShuffles } = this.#effort ?? {};
    const enough = allowed * (shuffles + 1);
    let [made, asStrong] = [0, 0];
    while (made < shuffles && asStrong < enough) {
      shuffle(shuffled, random);
      made += 1;
      if (Math.max(...this.#strengths(shuffled)) >= best) asStrong += 1;
      if (asStrong === 0 && made === quickShuffles) break;
    }
    return { index, chance: (asStrong + 1) / (made + 1) };
  }

  claim(index: number): void {
    const { columns, parameters } = this.#design;
    this.#claimed.add(index);
    for (const column of parameters[index]?.columns ?? []) this.#base.add(column);
    this.#setValue(this.#base, this.#y);
    this.#rest.set(this.#y);
    columns.forEach((column, at) => {
      if (this.#base.has(at)) addTo(this.#rest, -this.#base.coefficient(at), column);
    });
  }

  #setValue(gram: Gram, values: Column): void {
    const { columns } = this.#design;
    for (const [at, column] of columns.entries()) this.#products[at] = product(column, values);
    gram.setValue(this.#products, product(values, values));
  }

  /** Returns the strength of each parameter: the largest in the regressions of a greedy search. */
  #strengths(values: Column): readonly number[] {
    this.#scratch.assign(this.#base);
    this.#setValue(this.#scratch, values);
    const { parameters } = this.#design;
    const best = parameters.map(() => -Infinity);
    const { depth = 0 } = this.#effort ?? {};
    for (let step = 0; step <= depth; step += 1) {
      let next = noPart;
      for (let index = 0; index < parameters.length; index += 1) {
        if (this.#claimed.has(index)) continue;
        const { inside, outside } = this.#look(index);
        const strength = inside.strength > -Infinity ? inside.strength : outside.strength;
        best[index] = Math.max(best[index] ?? -Infinity, strength);
        if (outside.strength > next.strength) next = outside;
      }
      if (step === depth) break;
      const room = values.length - 1 - this.#scratch.used - next.columns.length;
      if (next.strength === -Infinity || room < Math.max(settingsLeft, values.length / 4)) break;
      for (const column of next.columns) this.#scratch.add(column);
    }
    return best;
  }

  /** Returns the part of the parameter in the regression, and the strongest part outside. */
  #look(index: number): { readonly inside: Part; readonly outside: Part } {
    const prefixes = this.#prefixes[index] ?? [];
    const all = prefixes.at(-1) ?? [];
    if (all.every((column) => !this.#scratch.has(column)))
      return { inside: noPart, outside: this.#strongest(prefixes) };
    const inside = all.filter((column) => this.#scratch.has(column));
    const others = all.filter((column) => !this.#scratch.has(column));
    return { inside: this.#part(inside), outside: this.#part(others) };
  }

  #strongest(parts: readonly (readonly number[])[]): Part {
    let strongest = noPart;
    for (const columns of parts) {
      const part = this.#part(columns);
      if (part.strength > strongest.strength) strongest = part;
    }
    return strongest;
  }

  /** Returns the strength of columns: about standard normal if they explain nothing. */
  #part(columns: readonly number[]): Part {
    const gram = this.#scratch;
    const [first] = columns;
    if (first === undefined) return noPart;
    const isIn = gram.has(first);
    const { squares, columns: count } = gram.explained(columns);
    const freedom = this.#y.length - 1 - gram.used - (isIn ? 0 : count);
    if (freedom < 3 || count === 0) return noPart;
    const left = Math.max(isIn ? gram.left : gram.left - squares, Number.MIN_VALUE);
    return { strength: normalOfF(squares / count / (left / freedom), count, freedom), columns };
  }
}
