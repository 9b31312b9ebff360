/**
 * Learning curves as trainings print them: healthy ones of many shapes, and ones that diverge. Each
 * seed is a curve.
 */
import { curve, decay, Noise, type Shape } from './noise.ts';
import { restless } from './restlessCurves.ts';

export interface Curve {
  readonly shape: string;
  readonly metric: string;
  readonly values: readonly number[];
  /** Where it begins to diverge; absent of a healthy one. */
  readonly divergesAt?: number;
}

/** Noise that is a share of the value. */
const exponential: Shape = (noise, points) => {
  const level = decay(noise);
  const share = noise.between(0.01, 0.15);
  return curve(points, (_, at) => level(at) * Math.max(0.05, 1 + share * noise.normal()));
};

/** The noise of small batches, with far outliers. */
const heavyTailed: Shape = (noise, points) => {
  const level = decay(noise);
  const share = noise.between(0.02, 0.15);
  return curve(points, (_, at) => level(at) * Math.exp(share * noise.heavy()));
};

const correlated: Shape = (noise, points) => {
  const level = decay(noise);
  const [share, memory] = [noise.between(0.03, 0.15), noise.between(0.6, 0.97)];
  return curve(points, (_, at) => level(at) * Math.exp(share * noise.drifting(memory)));
};

/** The learning rate rises first, and the loss with it. */
const warmUp: Shape = (noise, points) => {
  const level = decay(noise);
  const [until, height] = [noise.between(0.01, 0.08), noise.between(0.05, 0.2)];
  const bump = (at: number): number => (at < until ? height * Math.sin((Math.PI * at) / until) : 0);
  return curve(
    points,
    (_, at) => level(Math.max(0, at - until)) * (1 + bump(at)) * (1 + 0.03 * noise.normal()),
  );
};

/** At each restart a part of what was gained is given back, for a while. */
const cosineRestarts: Shape = (noise, points) => {
  const level = decay(noise);
  const cycles = noise.whole(2, 6);
  const given = noise.between(0.05, 0.35);
  return curve(points, (_, at) => {
    const phase = (at * cycles) % 1;
    const rate = at * cycles < 1 ? 0 : (1 + Math.cos(Math.PI * phase)) / 2;
    const best = level(at);
    return (best + given * (level(0) - best) * rate) * (1 + 0.04 * noise.normal());
  });
};

/** Spikes of one to five points, up to thirty times the value. */
const spikes: Shape = (noise, points) => {
  const values = exponential(noise, points);
  for (let count = noise.whole(2, 12); count > 0; count -= 1) {
    const at = noise.whole(10, points - 10);
    const height = noise.between(2, 30);
    for (let index = at; index < at + noise.whole(1, 5); index += 1)
      values[index] = (values[index] ?? 0) * height;
  }
  return values;
};

/** Long plateaus with almost no noise, and steps down between them. */
const plateaus: Shape = (noise, points) => {
  const steps = noise.whole(2, 5);
  const start = noise.between(1, 5);
  return curve(
    points,
    (_, at) => start * 0.6 ** Math.floor(at * steps) * (1 + 0.0005 * noise.normal()),
  );
};

/** The training loss of one that overfits comes down; this is its validation loss. */
const overfitting: Shape = (noise, points) => {
  const level = decay(noise);
  const rise = noise.between(0.02, 0.2);
  return curve(
    points,
    (_, at) => level(at) + rise * (level(0) - level(1)) * at ** 2 + 0.02 * noise.normal(),
  );
};

const smoothStep = (at: number): number => 1 / (1 + Math.exp(-at));

/** Episodes: more and more reward, with a spread of the same size; some end at once. */
const reward: Shape = (noise, points) => {
  const [max, middle, width] = [
    noise.between(50, 500),
    noise.between(0.2, 0.6),
    noise.between(0.05, 0.2),
  ];
  const [spread, failures] = [noise.between(0.05, 0.4), noise.between(0, 0.08)];
  return curve(points, (_, at) => {
    const level = max * smoothStep((at - middle) / width);
    const episode = level + spread * level * noise.drifting(0.5) + 3 * Math.abs(noise.normal());
    return noise.isHit(failures) ? 0.1 * episode : episode;
  });
};

const accuracy: Shape = (noise, points) => {
  const [max, rate] = [noise.between(0.6, 0.99), noise.between(4, 20)];
  return curve(points, (_, at) =>
    Math.min(1, max * (1 - Math.exp(-rate * at)) + 0.1 + 0.02 * noise.normal()),
  );
};

const healthy: Readonly<Record<string, readonly [metric: string, shape: Shape]>> = {
  'exponential decay, noise by value': ['loss', exponential],
  'heavy-tailed noise': ['loss', heavyTailed],
  'correlated noise': ['loss', correlated],
  'warm-up of the learning rate': ['loss', warmUp],
  'cosine restarts': ['loss', cosineRestarts],
  spikes: ['loss', spikes],
  plateaus: ['loss', plateaus],
  'validation that overfits a little': ['val_loss', overfitting],
  'reward of episodes': ['reward', reward],
  accuracy: ['accuracy', accuracy],
  ...restless,
};

type Break = (value: number, since: number, start: number) => number;

/** What happens to a healthy curve from some point on. `start`: its first value. */
const breaks: Readonly<Record<string, (noise: Noise) => Break>> = {
  'explodes within some points': (noise) => {
    const rate = noise.between(0.1, 0.5);
    return (value, since) => value * Math.exp(rate * since);
  },
  'explodes slowly': (noise) => {
    const rate = noise.between(0.005, 0.03);
    return (value, since) => value * Math.exp(rate * since);
  },
  'jumps back to where it began': (noise) => {
    const share = noise.between(0.75, 1.2);
    return (value, _, start) => Math.max(value, start * share * (1 + 0.05 * noise.normal()));
  },
  'climbs back in a line': (noise) => {
    const points = noise.between(50, 250);
    return (value, since, start) => value + (start - value) * Math.min(1.2, since / points);
  },
  'becomes wild and high': (noise) => {
    const height = noise.between(1, 3);
    return (value, _, start) => Math.max(value, start * height * Math.exp(noise.normal()));
  },
};

/** `count` curves of all healthy shapes in turn. */
export const healthyCurves = (count: number, seed: number, points = 1200): Curve[] =>
  Array.from({ length: count }, (_, index) => {
    const shapes = Object.entries(healthy);
    const [shape, [metric, draw]] = shapes[index % shapes.length] as (typeof shapes)[number];
    return { shape, metric, values: draw(new Noise(seed + index), points) };
  });

/** `count` accuracies that are lost for good in the middle. */
export const lostAccuracies = (count: number, seed: number, points = 1200): Curve[] =>
  Array.from({ length: count }, (_, index) => {
    const divergesAt = Math.floor(points / 2);
    const values = accuracy(new Noise(seed + index), points);
    return {
      ...{ shape: 'accuracy that is lost', metric: 'accuracy', divergesAt },
      values: values.map((value, at) => (at < divergesAt ? value : 0.05 * value)),
    };
  });

/** `count` losses that diverge in all ways in turn, from some point of their middle on. */
export const divergingCurves = (count: number, seed: number, points = 1200): Curve[] =>
  Array.from({ length: count }, (_, index) => {
    const ways = Object.entries(breaks);
    const [shape, way] = ways[index % ways.length] as (typeof ways)[number];
    const noise = new Noise(seed + index);
    const base =
      [exponential, heavyTailed, correlated, warmUp][Math.floor(index / ways.length) % 4] ??
      exponential;
    const values = base(noise, points);
    const divergesAt = noise.whole(Math.floor(points / 4), Math.floor((points * 2) / 3));
    const broken = way(noise);
    const start = Math.max(...values.slice(0, 5));
    return {
      shape,
      metric: 'loss',
      values: values.map((value, at) =>
        at < divergesAt ? value : broken(value, at - divergesAt, start),
      ),
      divergesAt,
    };
  });
