/**
 * Describes the result: the champion with its evidence, and its distance from the goal. Contains
 * measured values only.
 */
import { code, plain } from '../base/markdown.ts';
import { counted, formatValue } from '../base/text.ts';
import { rowStatus, type LedgerRow } from '../experiments/ledger.ts';
import { repeatsOf, summaryOfRepeats } from '../experiments/ledgerExperiments.ts';
import { meetsTarget, targetText } from '../experiments/target.ts';
import type { Mentions } from './mentions.ts';
import type { Night } from './night.ts';

const maxRepeats = 8;
const maxEvidence = 12;

export function championPart(night: Night, mentions: Mentions): string {
  const { champion } = night.facts.ledger;
  const value = night.valueOf(champion);
  const reached = champion === undefined || value === undefined ? undefined : { champion, value };
  const lines = [
    ...(reached === undefined ? [noneText(night)] : championLines(night, reached, mentions)),
    ...goalLines(night, value),
    ...evidenceLines(night, mentions),
  ];
  return `## Champion\n\n${lines.join('\n')}`;
}

function noneText({ facts: { ledger } }: Night): string {
  if (ledger.decisive === undefined)
    return 'There is no champion: no recorded metric has a known better direction.\n';
  return `There is no champion: no run that can be the champion has recorded ${plain(ledger.decisive.metric)}. Failed and discarded runs are excluded.\n`;
}

interface Reached {
  readonly champion: LedgerRow;
  readonly value: number;
}

function championLines(night: Night, { champion, value }: Reached, mentions: Mentions): string[] {
  const { number, experimentId, label, command, machineId, verdict } = champion;
  const metric = plain(night.facts.ledger.decisive?.metric ?? '');
  const ofExperiment = experimentId === undefined ? '' : ` of ${mentions.experiment(experimentId)}`;
  const goesOn =
    verdict === undefined ? ` The run is ${rowStatus(champion)}: its value may change.` : '';
  return [
    `**${metric} ${formatValue(value)}** in ${mentions.run(number)}${ofExperiment}, ${plain(label, 80)}.${goesOn}`,
    '',
    `- Command: ${code(command, 300)} on ${plain(machineId)}`,
    ...repeatLines(night, champion, mentions),
    ...firstLines(night, value, mentions),
  ];
}

/** Describes how much the value varies between the champion and its repetitions. */
function repeatLines(
  { facts: { ledger } }: Night,
  champion: LedgerRow,
  mentions: Mentions,
): string[] {
  const { decisive } = ledger;
  const group = repeatsOf(relatedRows(ledger.experiments, champion)).find((rows) =>
    rows.includes(champion),
  );
  const summary = decisive && summaryOfRepeats(group ?? [champion], decisive);
  if (decisive === undefined || summary?.spread === undefined)
    return ['- Measured once (n = 1): the spread is unknown.'];
  const { n, mean, spread, best, runs } = summary;
  const numbers = runs.map(({ number }) => number);
  const values = `mean ${formatValue(mean)}, standard deviation ${formatValue(spread)}, best ${formatValue(best)}`;
  return [`- Measured ${n} times (n = ${n}): ${values}: ${mentions.runs(numbers, maxRepeats)}`];
}

/**
 * Returns the runs of the champion's experiment, of the experiment that it repeats, if any, and of
 * all other experiments that repeat the same experiment.
 */
function relatedRows(
  experiments: Night['facts']['ledger']['experiments'],
  champion: LedgerRow,
): LedgerRow[] {
  const own = experiments.find(({ runs }) => runs.includes(champion));
  if (own === undefined) return [champion];
  const root = own.plan?.retest?.of ?? own.id;
  return experiments
    .filter(({ id, plan }) => id === root || id === own.id || plan?.retest?.of === root)
    .flatMap(({ runs }) => runs);
}

function firstLines({ facts, valueOf }: Night, value: number, mentions: Mentions): string[] {
  const first = facts.ledger.rows.find((row) => valueOf(row) !== undefined);
  const start = valueOf(first);
  if (first === undefined || start === undefined || start === value) return [];
  // A percentage is meaningless for a negative value or a change of sign.
  const change = start > 0 && value >= 0 ? ` (since then ${percent((value - start) / start)})` : '';
  return [`- First value: ${formatValue(start)} in ${mentions.run(first.number)}${change}`];
}

function goalLines({ facts: { target } }: Night, value: number | undefined): string[] {
  if (target === undefined) return ['- The goal has no measurable target.'];
  const goal = code(targetText(target));
  if (value === undefined) return [`- The goal says ${goal}: nothing was measured.`];
  if (meetsTarget(value, target)) return [`- The goal says ${goal}: **met**.`];
  const shown = target.isPercent === true && Math.abs(value) <= 1 ? value * 100 : value;
  const gap = Math.abs(shown - target.value);
  const share =
    target.value === 0
      ? ''
      : ` (${percent(gap / Math.abs(target.value)).replace('+', '')} of the target)`;
  return [`- The goal says ${goal}: **not met**, ${formatValue(gap)} away${share}.`];
}

function evidenceLines({ facts }: Night, mentions: Mentions): string[] {
  return facts.evidence.slice(0, maxEvidence).map(({ run, metric, last, best, count }) => {
    const values = `last ${formatValue(last)}, best ${formatValue(best)}, ${counted(count, 'point')}`;
    return `- Evidence at the end: ${plain(metric)} of ${mentions.run(run)}: ${values}`;
  });
}

const percent = (share: number): string =>
  `${share > 0 ? '+' : ''}${Number((100 * share).toPrecision(3))} %`;
