/**
 * Chooses the next points to try: first decades of the learning rate, then values near the best
 * rate, then momentum and width around the best point. Uses measured values only and never proposes
 * a point twice.
 */
import { isBetter, type DemoGoal } from './goal.ts';
import { pointText, type Point, type Space } from './space.ts';
import { isMeasured, isRunning, type Trial } from './trials.ts';

export interface Proposal {
  readonly point: Point;
  /** Purpose of the run, for the notes. */
  readonly why: string;
}

/** Returns the measured trial with the best value; the earlier one wins a tie. */
export const bestOf = (
  trials: readonly Trial[],
  goal: DemoGoal,
): (Trial & { value: number }) | undefined =>
  trials
    .filter(isMeasured)
    .reduce<(Trial & { value: number }) | undefined>(
      (best, trial) =>
        best === undefined || isBetter(trial.value, best.value, goal) ? trial : best,
      undefined,
    );

const maxTrials = 16;
const widestFactor = 4;
const slowestRate = 1e-7;
const fastestRate = 1e4;

/**
 * Returns at most `slots` new points, the most informative first; empty when the search is
 * exhausted.
 */
export function propose(
  space: Space,
  trials: readonly Trial[],
  goal: DemoGoal,
  slots: number,
): Proposal[] {
  const tried = new Set(trials.map(({ point }) => pointText(point)));
  const proposals: Proposal[] = [];
  for (const proposal of candidates(space, trials, goal)) {
    const key = pointText(proposal.point);
    const rate = proposal.point[space.rate] ?? 0;
    if (tried.has(key) || rate < slowestRate || rate > fastestRate) continue;
    tried.add(key);
    proposals.push(proposal);
  }
  return proposals.slice(0, Math.min(slots, Math.max(0, maxTrials - trials.length)));
}

function candidates(space: Space, trials: readonly Trial[], goal: DemoGoal): Proposal[] {
  const best = bestOf(trials, goal);
  if (trials.length === 0)
    return [{ point: space.base, why: 'the defaults of the script, as a baseline' }];
  if (best === undefined) return backOff(space, trials);
  const isBaseLine =
    pointText(withRate(best.point, space, 1)) === pointText(withRate(space.base, space, 1));
  const rates = isBaseLine ? decades(space, trials, best) : [];
  // Momentum and width are varied only after a smaller and a larger rate than the best one were
  // tried.
  return rates.length > 0 ? rates : [...around(space, best)];
}

/** Proposes much smaller learning rates if no run has measured a value. */
function backOff(space: Space, trials: readonly Trial[]): Proposal[] {
  const lowest = trials.reduce(
    (min, { point }) => Math.min(min, point[space.rate] ?? min),
    Infinity,
  );
  return [0.1, 0.01].map((factor) => ({
    point: withRate(space.base, space, rounded(lowest * factor)),
    why: 'a much smaller learning rate, since no run has measured a value yet',
  }));
}

/**
 * Proposes larger learning rates while the best rate is the largest of the tried rates, and smaller
 * learning rates while the best rate is the smallest. Otherwise proposes nothing.
 */
function decades(space: Space, trials: readonly Trial[], best: Trial): Proposal[] {
  const line = trials.filter(
    ({ point }) =>
      pointText(withRate(point, space, 1)) === pointText(withRate(best.point, space, 1)),
  );
  const bestRate = best.point[space.rate] ?? 0;
  const tried = line
    .filter((trial) => !isRunning(trial))
    .map(({ point }) => point[space.rate] ?? 0);
  const at = (factor: number, why: string): Proposal => ({
    point: withRate(best.point, space, rounded(bestRate * factor)),
    why,
  });
  if (!tried.some((rate) => rate > bestRate)) {
    const isFirst = tried.length < 2;
    return isFirst
      ? [
          at(10, 'a learning rate ten times larger'),
          at(100, 'a learning rate a hundred times larger'),
        ]
      : [
          at(10, 'ten times the best rate, which is the largest so far'),
          at(3, 'three times the best rate'),
        ];
  }
  if (!tried.some((rate) => rate < bestRate))
    return [
      at(0.1, 'a tenth of the best rate, which is the smallest so far'),
      at(0.3, 'about a third of the best rate'),
    ];
  return [];
}

function* around(space: Space, best: Trial): Generator<Proposal> {
  const { rate, momentum, width } = space;
  const value = (name: string): number => best.point[name] ?? 0;
  const changed = (change: Point, why: string): Proposal => ({
    point: { ...best.point, ...change },
    why,
  });
  const slower = changed({ [rate]: rounded(value(rate) * 0.3) }, 'about a third of the best rate');
  yield slower;
  if (momentum !== undefined && value(momentum) < 0.9) {
    const factor = (1 - 0.9) / (1 - value(momentum));
    const change = { [momentum]: 0.9, [rate]: rounded(value(rate) * factor) };
    yield changed(
      change,
      'momentum 0.9, with the rate lowered by as much as momentum lengthens the steps',
    );
  }
  if (width !== undefined && value(width) * 2 <= (space.base[width] ?? 1) * widestFactor)
    yield changed(
      { [width]: value(width) * 2 },
      'twice the width, everything else as in the best run',
    );
  if (momentum !== undefined && value(momentum) < 0.5)
    yield changed(
      { [momentum]: 0.5, [rate]: rounded(value(rate) * 0.5) },
      'a little momentum, with half the rate',
    );
  yield changed({ [rate]: rounded(value(rate) * 3) }, 'three times the best rate');
  if (momentum !== undefined && value(momentum) < 0.9)
    yield changed({ [momentum]: 0.9 }, 'momentum 0.9 at the same rate');
  if (momentum !== undefined && value(momentum) > 0)
    yield changed({ [momentum]: 0 }, 'without momentum');
}

const withRate = (point: Point, { rate }: Space, value: number): Point => ({
  ...point,
  [rate]: value,
});
const rounded = (value: number): number => Number(value.toPrecision(2));
