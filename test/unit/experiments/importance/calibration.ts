/** Counts over many made-up studies how often what is said of parameters is true. */
import { importanceOf, type Effect } from '../../../../src/experiments/importance/importance.ts';
import { studyOf, type Study } from './studies.ts';

/** How many of how many. */
export interface Count {
  hits: number;
  of: number;
}

const ratios = [
  'intervals that contain the share',
  '… of parameters without effect',
  '… of shares up to 10 %',
  '… of shares of 10 to 30 %',
  '… of shares above 30 %',
  '… in fewer than 40 settings',
  '… in 40 to 99 settings',
  '… in 100 settings and more',
  'shares below the interval',
  'shares above the interval',
  'strongest three found',
  'strongest three found, standard error of a regression on all',
  'claims of a parameter without effect',
  'claims in pure noise',
] as const;

export type Ratio = (typeof ratios)[number];
export type Calibration = Readonly<Record<Ratio, Count>>;

/** Studies with the seeds from `seed` on, and as many of pure noise. */
export function calibrate(seed: number, studies: number): Calibration {
  const counts = Object.fromEntries(ratios.map((name) => [name, { hits: 0, of: 0 }])) as Record<
    Ratio,
    Count
  >;
  const count = (name: Ratio, isHit: boolean): void => {
    counts[name].of += 1;
    counts[name].hits += Number(isHit);
  };
  for (let at = 0; at < studies; at += 1) {
    const study = studyOf(seed + at);
    const { effects } = importanceOf(study.trials);
    for (const effect of effects) countInterval(study, effect, count);
    countStrongest(study, effects, count);
    const noise = importanceOf(studyOf(seed + at, true).trials);
    count(
      'claims in pure noise',
      noise.effects.some(({ isClaimed }) => isClaimed),
    );
  }
  return counts;
}

type CountOne = (name: Ratio, isHit: boolean) => void;

function countInterval({ shares, settings }: Study, effect: Effect, count: CountOne): void {
  const share = shares.get(effect.name) ?? 0;
  const [isBelow, isAbove] = [share < effect.low, share > effect.high];
  const isIn = !isBelow && !isAbove;
  count('intervals that contain the share', isIn);
  count('shares below the interval', isBelow);
  count('shares above the interval', isAbove);
  if (share === 0) count('… of parameters without effect', isIn);
  else if (share <= 0.1) count('… of shares up to 10 %', isIn);
  else count(share <= 0.3 ? '… of shares of 10 to 30 %' : '… of shares above 30 %', isIn);
  if (settings < 40) count('… in fewer than 40 settings', isIn);
  else count(settings < 100 ? '… in 40 to 99 settings' : '… in 100 settings and more', isIn);
  if (effect.isClaimed) count('claims of a parameter without effect', share === 0);
}

/**
 * The standard error of an effect is that of a mean over the settings, once all other effects are
 * known; that of a regression on all parameters loses a setting per coefficient.
 */
function countStrongest(study: Study, effects: readonly Effect[], count: CountOne): void {
  const { shares, total, residual, settings, coefficients } = study;
  const shareOf = ({ name }: Effect): number => shares.get(name) ?? 0;
  const strongest = effects.toSorted((a, b) => shareOf(b) - shareOf(a)).slice(0, 3);
  for (const effect of strongest) {
    const size = Math.sqrt(shareOf(effect) * total);
    const isAbove = (rows: number): boolean => size >= 2 * Math.sqrt(residual / Math.max(1, rows));
    if (isAbove(settings)) count('strongest three found', effect.isClaimed);
    if (isAbove(settings - 1 - coefficients))
      count('strongest three found, standard error of a regression on all', effect.isClaimed);
  }
}

/** Formats all counts, one a line. */
export const calibrationText = (calibration: Calibration): string =>
  Object.entries(calibration)
    .map(([name, { hits, of }]) => `${name}: ${((100 * hits) / of).toFixed(1)} % of ${of}`)
    .join('\n');
