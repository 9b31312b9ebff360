/** Estimates which parameters of a set of runs matter for a metric, and by how much. */
import { seededRandom } from '../../base/random.ts';
import { claimsOf, type Design } from './claims.ts';
import { centred, meanOf, product, scaled, type Column } from './columns.ts';
import { factorOf, rankScores, type Factor } from './factors.ts';
import { Gram } from './gram.ts';
import { interactionOf, type Interaction } from './interaction.ts';
import { shareOf, type Share } from './shares.ts';

/** A run with its value of a metric. */
export interface Trial {
  /** Name of the setting. Runs of one setting are repeats, and have the same parameters. */
  readonly setting: string;
  /** Values of the parameters by name, without the seed. */
  readonly parameters: Readonly<Record<string, string>>;
  /** A finite number. */
  readonly value: number;
}

/** The main effect of a parameter: what it explains alone, averaged over the others. */
export interface Effect extends Share {
  readonly name: string;
  readonly kind: Factor['kind'];
  /** Whether the values spread evenly on a logarithmic axis. */
  readonly isLog: boolean;
  /** Whether chance does not explain the effect. Nothing is to be said of one for which it does. */
  readonly isClaimed: boolean;
  /**
   * Whether it varies mostly together with parameters that matter, so that what it explains cannot be
   * told from what they explain.
   */
  readonly isEntangled: boolean;
  /** Rank correlation (Spearman) with the value, from −1 to 1; only of numbers. */
  readonly correlation?: number;
  /** Number of runs that name the parameter. */
  readonly runs: number;
}

export interface Importance {
  readonly settings: number;
  /**
   * The parameters that vary, the largest share first; those that matter before the others. Empty if
   * there are fewer settings than `minSettings`.
   */
  readonly effects: readonly Effect[];
  /** The strongest pair that acts together; omitted if chance explains it. */
  readonly interaction?: Interaction;
}

/** Share of a parameter's variation that others leave, below which it is entangled with them. */
const leastApart = 0.3;

/** Number of different settings below which nothing is estimated. */
export const minSettings = 12;

/**
 * Estimates the shares of the variance between runs, over the settings as they were drawn. The same
 * runs give the same answer.
 */
export function importanceOf(trials: readonly Trial[]): Importance {
  const settings = [...Map.groupBy(trials, ({ setting }) => setting).values()];
  if (settings.length < minSettings) return { settings: settings.length, effects: [] };
  const means = Float64Array.from(settings, (runs) =>
    meanOf(Float64Array.from(runs, ({ value }) => value)),
  );
  const y = centred(means);
  const factors = factorsOf(settings);
  const design = designOf(factors);
  const random = seededRandom(trials.length);
  const claims = claimsOf(y, design, random);
  const extra = varianceOfRepeats(settings, means);
  const interaction = interactionOf(y, factors, claims, { extra, random });
  const fit = { y, extra, columns: design.columns };
  const none = regressionOf(y, design.columns);
  const effects = factors.map((factor, index) => {
    const isClaimed = claims.includes(index);
    const own = design.parameters[index]?.columns ?? [];
    const others = claims.filter((one) => one !== index);
    const known = withColumns(
      none,
      others.flatMap((one) => design.parameters[one]?.columns ?? []),
    );
    const apart = meanOf(Float64Array.from(own, (column) => known.apart(column)));
    const isEntangled = apart < leastApart;
    // A bound on top of the others would say nothing of what both may explain.
    const gram = withColumns(isEntangled && !isClaimed ? none : known, own);
    const share = { ...shareOf({ ...fit, own, gram }), isEntangled };
    return { ...effectOf(factor, trials, means), ...share, isClaimed };
  });
  return {
    settings: settings.length,
    effects: effects.toSorted(
      (a, b) => Number(b.isClaimed) - Number(a.isClaimed) || b.share - a.share,
    ),
    ...(interaction && { interaction }),
  };
}

/** Returns the regression on no column. */
function regressionOf(y: Column, columns: readonly Column[]): Gram {
  const gram = Gram.of(columns);
  const products = Float64Array.from(columns, (one) => product(one, y));
  gram.setValue(products, product(y, y));
  return gram;
}

function withColumns(gram: Gram, columns: readonly number[]): Gram {
  const copied = gram.copy();
  for (const column of columns) copied.add(column);
  return copied;
}

function effectOf(
  { name, kind, isLog, values }: Factor,
  trials: readonly Trial[],
  means: Column,
): Pick<Effect, 'name' | 'kind' | 'isLog' | 'correlation' | 'runs'> {
  const runs = trials.filter(({ parameters }) => parameters[name] !== undefined).length;
  const correlation = kind === 'number' && { correlation: rankCorrelation(values, means) };
  return { name, kind, isLog, runs, ...correlation };
}

function factorsOf(settings: readonly (readonly Trial[])[]): readonly Factor[] {
  const parameters = settings.map(([first]) => first?.parameters ?? {});
  const names = new Set(parameters.flatMap((one) => Object.keys(one)));
  return [...names].flatMap(
    (name) =>
      factorOf(
        name,
        parameters.map((one) => one[name]),
      ) ?? [],
  );
}

function designOf(factors: readonly Factor[]): Design {
  let next = 0;
  return {
    columns: factors.flatMap(({ columns }) => columns.map(scaled)),
    parameters: factors.map(({ columns, kind }) => ({
      columns: columns.map(() => next++),
      isOrdered: kind === 'number',
    })),
  };
}

/**
 * Returns the variance between repeats that their means lack: a mean of three varies by a third of
 * what a run varies.
 */
function varianceOfRepeats(settings: readonly (readonly Trial[])[], means: Column): number {
  let [squares, freedom, inverse] = [0, 0, 0];
  settings.forEach((runs, index) => {
    for (const { value } of runs) squares += (value - (means[index] ?? 0)) ** 2;
    freedom += runs.length - 1;
    inverse += 1 / runs.length / settings.length;
  });
  return freedom === 0 ? 0 : (squares / freedom) * (1 - inverse);
}

/** Returns the rank correlation over the settings with a value; 0 if either is constant. */
function rankCorrelation(values: Column, means: Column): number {
  const named = [...values.keys()].filter((row) => !Number.isNaN(values[row]));
  const ranks = (column: Column): Column =>
    scaled(rankScores(Float64Array.from(named, (row) => column[row] ?? 0)));
  return product(ranks(values), ranks(means));
}
