/** Made-up studies whose true shares of variance are known. */
import type { Trial } from '../../../../src/experiments/importance/importance.ts';
import { Noise } from '../../../fakes/noise.ts';

export interface Study {
  readonly trials: readonly Trial[];
  /** True share of the variance of single runs that each main effect explains. */
  readonly shares: ReadonlyMap<string, number>;
  /** Variance of the value of a single run. */
  readonly total: number;
  /** Variance of the mean of a setting that no main effect explains. */
  readonly residual: number;
  readonly settings: number;
  /** Number of coefficients of all main effects together. */
  readonly coefficients: number;
}

interface Parameter {
  readonly name: string;
  /** The texts from which each setting draws one with equal probability. */
  readonly texts: readonly string[];
  /** Effect of each text: mean 0, variance 1. */
  readonly effects: readonly number[];
  /** Standard deviation of the effect. */
  readonly size: number;
  readonly coefficients: number;
}

/** Number of values between which a parameter that is not on a grid is drawn. */
const grain = 2000;

/** Effects over the range from 0 to 1: half of them straight. */
function shapeOf(by: Noise): (u: number) => number {
  const kind = by.whole(0, 5);
  const [low, edge] = [by.between(0.1, 0.9), by.between(0.3, 0.7)];
  if (kind === 0) return (u) => (u - low) ** 2;
  if (kind === 1) return (u) => Math.tanh(5 * (u - edge));
  return kind === 2 ? (u) => 1 - Math.exp(-3 * u) : (u) => u;
}

function standard(values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return values.map((value) => (value - mean) / Math.sqrt(variance));
}

/** Two of five parameters are on a logarithmic scale, one is a category, a third is on a grid. */
function parameterOf(name: string, size: number, by: Noise): Parameter {
  const kind = by.whole(0, 4);
  if (kind === 4) {
    const texts = Array.from({ length: by.whole(2, 5) }, (_, at) => `kind${at}`);
    const effects = standard(texts.map(() => by.normal()));
    return { name, texts, size, effects, coefficients: texts.length - 1 };
  }
  const count = by.isHit(0.3) ? by.whole(3, 7) : grain;
  const shares = Array.from({ length: count }, (_, at) => at / (count - 1));
  const shape = shapeOf(by);
  const sign = by.isHit(0.5) ? 1 : -1;
  const texts = shares.map((u) => String(kind < 2 ? 1e-5 * 1e4 ** u : 0.9 * u));
  return {
    name,
    texts,
    size,
    effects: standard(shares.map((u) => sign * shape(u))),
    coefficients: 1,
  };
}

/**
 * Returns a study of 20 to 200 runs with 3 to 10 parameters. The strongest effect has the standard
 * deviation 1, three of ten others have none; noise of 0.2 to 2, and one interaction of up to 0.6.
 * Some studies have two or three seeds per setting. In `isNoise`, nothing matters.
 */
export function studyOf(seed: number, isNoise = false): Study {
  const by = new Noise(seed);
  const runs = by.whole(20, 200);
  const parameters = Array.from({ length: by.whole(3, 10) }, (_, at) => {
    const size = at === 0 ? 1 : by.isHit(0.3) ? 0 : by.between(0.1, 0.9);
    return parameterOf(`p${at}`, isNoise ? 0 : size, by);
  });
  const spread = isNoise ? 1 : 0.2 * 10 ** by.between(0, 1);
  const together = isNoise ? 0 : by.between(0, 0.6);
  const first = by.whole(0, parameters.length - 1);
  const second = (first + by.whole(1, parameters.length - 1)) % parameters.length;
  const seeds = runs >= 60 && by.isHit(0.4) ? by.whole(2, 3) : 1;
  const trials: Trial[] = [];
  for (let setting = 0; trials.length < runs; setting += 1) {
    const drawn = parameters.map(({ texts }) => by.whole(0, texts.length - 1));
    const effects = parameters.map(({ effects: all }, at) => all[drawn[at] ?? 0] ?? 0);
    const main = effects.reduce((sum, effect, at) => sum + effect * (parameters[at]?.size ?? 0), 0);
    const both = together * (effects[first] ?? 0) * (effects[second] ?? 0);
    const named = parameters.map(({ name, texts }, at) => [name, texts[drawn[at] ?? 0] ?? '']);
    for (let repeat = 0; repeat < seeds && trials.length < runs; repeat += 1)
      trials.push({
        setting: String(setting),
        parameters: Object.fromEntries(named) as Record<string, string>,
        value: 3 + main + both + spread * by.normal(),
      });
  }
  const settings = Math.ceil(runs / seeds);
  const total = parameters.reduce((sum, { size }) => sum + size ** 2, together ** 2 + spread ** 2);
  return {
    ...{ trials, total, settings },
    residual: together ** 2 + (spread ** 2 * settings) / runs,
    coefficients: parameters.reduce((sum, { coefficients }) => sum + coefficients, 0),
    shares: new Map(parameters.map(({ name, size }) => [name, size ** 2 / total])),
  };
}
