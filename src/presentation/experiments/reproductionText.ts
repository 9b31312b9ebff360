import type { ComparedMetric, Judgement, Reproduction } from '../../agent/contract/reproduction.ts';
import { withoutUntrustedMarks } from '../../base/untrusted.ts';
import { formatSpread, formatValue } from '../../base/text.ts';
import { verdictText, runName } from '../../runs/run.ts';

const judgementText: Readonly<Record<Judgement, string>> = {
  identical: 'identical',
  within_spread: 'within two standard deviations of the repeats',
  outside_spread: 'outside two standard deviations of the repeats',
  within_tolerance: 'within the tolerance',
  outside_tolerance: 'outside the tolerance',
  not_judged: 'not judged: there is only one earlier run, and no tolerance was given',
};

/** Returns the report of a reproduction, in several lines. */
export function reproductionText({
  experimentId,
  run,
  verdict,
  seed,
  repeats,
  alarm,
  metrics,
  differences,
}: Reproduction): string {
  const head = `${againText({ experimentId, seed, repeats })} ran again as ${runName(run)}: ${verdictText(verdict, alarm)}.`;
  const lines = metrics.map(metricText);
  const none = metrics.length === 0 ? ['No metric was measured in both runs.'] : [];
  return [head, ...lines, ...none, ...differences.map(withoutUntrustedMarks)].join('\n');
}

/** Returns what ran again: the experiment, or which of the runs of its result. */
function againText({
  experimentId,
  seed,
  repeats,
}: Pick<Reproduction, 'experimentId' | 'repeats'> & { readonly seed: string | undefined }): string {
  if (repeats < 2) return `Experiment ${experimentId}`;
  const part =
    seed === undefined ? `One of ${repeats} runs` : `Seed ${seed} (1 of ${repeats} seeds)`;
  return `${part} of experiment ${experimentId}`;
}

function metricText({
  metric,
  run,
  before,
  spread,
  n,
  now,
  delta,
  judgement,
}: ComparedMetric): string {
  const head = `${metric}: ${formatValue(now)}`;
  if (run !== undefined && judgement === 'identical')
    return `${head}, identical to ${runName(run)}`;
  const mean =
    spread === undefined
      ? formatValue(before)
      : `${formatValue(before)} ± ${formatSpread(spread)} (n = ${n})`;
  const was =
    run === undefined ? `before ${mean}` : `${runName(run)} measured ${formatValue(before)}`;
  return `${head}, ${was}, Δ ${delta >= 0 ? '+' : ''}${formatValue(delta)}; ${judgementText[judgement]}`;
}
