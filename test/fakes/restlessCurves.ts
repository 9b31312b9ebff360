/**
 * Healthy trainings that look ill for a while: restarts, new tasks and folds, games, scores that
 * come and go.
 */
import { curve, decay, type Noise, type Shape } from './noise.ts';

/** Each restart of the learning rate gives most of what was gained back, for a while. */
const deepRestarts: Shape = (noise, points) => {
  const level = decay(noise);
  const [cycles, given, spread] = [
    noise.whole(3, 8),
    noise.between(0.5, 0.95),
    noise.between(0.01, 0.08),
  ];
  return curve(points, (_, at) => {
    const rate = at * cycles < 1 ? 0 : Math.exp(-8 * ((at * cycles) % 1));
    return (level(at) + given * (level(0) - level(at)) * rate) * (1 + spread * noise.normal());
  });
};

/** A learning rate that rises and falls in a triangle. */
const cyclicalRate: Shape = (noise, points) => {
  const level = decay(noise);
  const [cycles, given] = [noise.whole(3, 12), noise.between(0.1, 0.6)];
  return curve(points, (_, at) => {
    const rate = at * cycles < 1 ? 0 : 1 - Math.abs(2 * ((at * cycles) % 1) - 1);
    return (level(at) + given * (level(0) - level(at)) * rate) * (1 + 0.04 * noise.normal());
  });
};

/** Tasks, folds or stages one after the other: each begins anew. */
const tasksInTurn: Shape = (noise, points) => {
  const [tasks, rate, end] = [noise.whole(2, 6), noise.between(6, 15), noise.between(0.2, 0.4)];
  return curve(
    points,
    (_, at) => (end + 2.3 * Math.exp(-rate * ((at * tasks) % 1))) * (1 + 0.06 * noise.normal()),
  );
};

const harderAndHarder: Shape = (noise, points) => {
  const [stages, start] = [noise.whole(2, 5), noise.between(2, 5)];
  return curve(points, (_, at) => {
    const height = 0.6 + 0.1 * Math.floor(at * stages);
    return (
      start * (0.3 + height * Math.exp(-9 * ((at * stages) % 1))) * (1 + 0.04 * noise.normal())
    );
  });
};

/** The last tenth of each epoch is hard. */
const hardTails: Shape = (noise, points) => {
  const level = decay(noise);
  const [epochs, more] = [noise.whole(5, 20), noise.between(0.3, 1)];
  return curve(
    points,
    (_, at) => level(at) * ((at * epochs) % 1 > 0.9 ? 1 + more : 1) * (1 + 0.05 * noise.normal()),
  );
};

/** Taken up again from a checkpoint, with an optimizer that has forgotten. */
const resumed: Shape = (noise, points) => {
  const level = decay(noise);
  const [cut, lost, given] = [
    noise.between(0.4, 0.8),
    noise.between(0.05, 0.3),
    noise.between(0, 0.6),
  ];
  return curve(points, (_, at) => {
    if (at < cut) return level(at) * (1 + 0.04 * noise.normal());
    const bump = given * (level(0) - level(at)) * Math.exp(-40 * (at - cut));
    return (level(at - lost) + bump) * (1 + 0.04 * noise.normal());
  });
};

/** The mean of the epoch so far. */
const meanOfEpoch: Shape = (noise, points) => {
  const level = decay(noise);
  const epoch = noise.whole(20, 120);
  let sum = 0;
  return curve(points, (index, at) => {
    sum = (index % epoch === 0 ? 0 : sum) + level(at) * (1 + 0.4 * noise.normal());
    return sum / ((index % epoch) + 1);
  });
};

/** The weight of another part rises, and the whole with it. */
const annealed: Shape = (noise, points) => {
  const weight = noise.between(0.1, 0.24);
  return curve(
    points,
    (_, at) =>
      100 *
      (0.6 + 0.4 * Math.exp(-12 * at) + weight * Math.min(1, 3 * at)) *
      (1 + 0.02 * noise.normal()),
  );
};

const overfittingFar: Shape = (noise, points) => {
  const level = decay(noise);
  const [from, rise] = [noise.between(0.1, 0.4), noise.between(0.3, 1.5)];
  return curve(
    points,
    (_, at) =>
      level(at) + rise * (level(0) - level(1)) * Math.max(0, at - from) + 0.02 * noise.normal(),
  );
};

/** Of a game of two: it rises while the other one learns. */
const gameOfTwo: Shape = (noise, points) => {
  const drift = noise.between(0, 0.006);
  let value = 1;
  return curve(points, () => (value = Math.max(0.1, value + drift + 0.05 * noise.normal())));
};

/** The error grows with the rewards that there are to be foreseen. */
const growingError: Shape = (noise, points) => {
  const growth = noise.between(1, 20);
  return curve(points, (_, at) => (0.05 + growth * at) * Math.exp(0.4 * noise.normal()));
};

const aroundZero: Shape = (noise, points) => curve(points, () => 0.02 * noise.normal() - 0.01);

const memorised: Shape = (noise, points) => {
  const rate = noise.between(10, 60);
  return curve(
    points,
    (_, at) =>
      2 * Math.exp(-rate * at) * Math.exp(0.5 * noise.normal()) + 1e-7 * Math.exp(noise.normal()),
  );
};

const belowZero: Shape = (noise, points) => {
  const [start, end] = [noise.between(10, 100), -noise.between(10, 1000)];
  return curve(
    points,
    (_, at) => end + (start - end) * Math.exp(-8 * at) - 0.05 * end * noise.normal(),
  );
};

/** A policy that forgets for some episodes, and finds back. */
const forgetful: Shape = (noise, points) => {
  let forgotten = 0;
  return curve(points, (_, at) => {
    if (noise.isHit(0.004)) forgotten = noise.whole(5, 60);
    forgotten -= 1;
    if (forgotten > 0) return noise.between(9, 120);
    return Math.min(500, (500 / (1 + Math.exp(-(at - 0.3) / 0.06))) * (1 + 0.1 * noise.normal()));
  });
};

const wandering: Shape = (noise, points) => {
  const [drift, spread] = [noise.between(0, 0.5), noise.between(0.5, 5)];
  let value = noise.between(-50, 50);
  return curve(points, () => (value += drift + spread * noise.normal()));
};

const yesOrNo: Shape = (noise, points) => {
  const middle = noise.between(0.2, 0.6);
  return curve(points, (_, at) =>
    Number(noise.isHit(0.95 / (1 + Math.exp(-(at - middle) / 0.08)))),
  );
};

/** As few points as an evaluation has that is made once in an epoch. */
const seldom =
  (shape: Shape): Shape =>
  (noise: Noise, points: number) =>
    shape(noise, Math.max(20, Math.floor(points * noise.between(0.02, 0.08))));

export const restless: Readonly<Record<string, readonly [metric: string, shape: Shape]>> = {
  'deep restarts of the learning rate': ['loss', deepRestarts],
  'a cyclical learning rate': ['loss', cyclicalRate],
  'tasks or folds in turn': ['loss', tasksInTurn],
  'data that gets harder': ['loss', harderAndHarder],
  'hard tails of epochs': ['loss', hardTails],
  'resumed from a checkpoint': ['loss', resumed],
  'mean of the epoch so far': ['loss', meanOfEpoch],
  'another part that weighs more and more': ['loss', annealed],
  'an error that grows with the rewards': ['loss', growingError],
  'around zero': ['loss', aroundZero],
  'almost zero': ['loss', memorised],
  'below zero': ['nll', belowZero],
  'validation that overfits far': ['val_loss', overfittingFar],
  'seldom validation that overfits far': ['val_loss', seldom(overfittingFar)],
  'a game of two': ['loss_G', gameOfTwo],
  'a policy that forgets and finds back': ['episode_return', forgetful],
  'a return that wanders': ['return', wandering],
  'success or none': ['success', yesOrNo],
};
