/** Texts for the result of an experiment, and for the decision about it. */
import { formatFixed, roundDigits } from '../../base/text.ts';
import { resultNumber, type ExperimentResult } from '../../experiments/ledger.ts';

export { decisionName, experimentStatus, resultValueText } from '../../experiments/ledger.ts';

/**
 * Formats the mean and the spread of a result for a narrow place: two digits of the spread, and as
 * many decimals of the mean, so that values stand below each other: `0.0288 ± 0.0091`.
 */
export function shortResult(result: ExperimentResult): string {
  const { mean, spread } = result;
  if (spread === undefined || !(spread > 0) || !Number.isFinite(spread))
    return resultNumber(result);
  const decimals = Math.max(0, 1 - Math.floor(Math.log10(roundDigits(spread, 2))));
  if (decimals > maxDecimals || Math.abs(mean) >= 1e7) return resultNumber(result);
  return `${formatFixed(mean, decimals)} ± ${formatFixed(spread, decimals)}`;
}

/** More decimals would be read less easily than an exponent. */
const maxDecimals = 6;

export { decisionText } from '../../agent/experiments/experimentLabels.ts';
