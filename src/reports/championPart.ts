/**
 * Describes the result: the champion with its evidence. Contains measured values only.
 */
import { code, plain } from '../base/markdown.ts';
import { counted, formatSpread, formatValue } from '../base/text.ts';
import { leadOf } from '../experiments/decisionsInForce.ts';
import { branchOf } from '../experiments/experiment.ts';
import { idleSeedTexts } from '../experiments/idleSeeds.ts';
import { resultValueText, rowStatus, type Ledger, type LedgerRow } from '../experiments/ledger.ts';
import { resultGroups, summaryOfRepeats } from '../experiments/ledgerExperiments.ts';
import { judgeRows } from '../experiments/target/judgeTarget.ts';
import { reproductionTexts } from '../experiments/reproductions.ts';
import type { Target } from '../experiments/target/target.ts';
import { unsteadySeedTexts } from '../experiments/unsteadySeeds.ts';
import type { Mentions } from './mentions.ts';
import type { Night } from './night.ts';

const maxRepeats = 8;
const maxEvidence = 12;

export function championPart(night: Night, mentions: Mentions): string {
  const { champion } = night.facts.ledger;
  const value = night.facts.ledger.best?.mean ?? night.valueOf(champion);
  const reached = champion === undefined || value === undefined ? undefined : { champion, value };
  const lines = [
    ...(reached === undefined ? [noneText(night)] : championLines(night, reached, mentions)),
    ...seedLines(night),
    ...evidenceLines(night, mentions),
  ];
  return `## Champion\n\n${lines.join('\n')}`;
}

function noneText({ facts: { ledger } }: Night): string {
  if (ledger.rows.length === 0) return 'No run has measured anything.\n';
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
  const { best } = night.facts.ledger;
  const text = best === undefined ? formatValue(value) : resultValueText(best);
  const ofExperiment = experimentId === undefined ? '' : ` of ${mentions.experiment(experimentId)}`;
  const goesOn =
    verdict === undefined ? ` The run is ${rowStatus(champion)}: its value may change.` : '';
  return [
    `**${plain(text)}**: ${mentions.run(number)}${ofExperiment}, ${plain(label, 80)}.${goesOn}`,
    `- Command: ${code(command, 300)} on ${plain(machineId)}`,
    ...repeatLines(night, mentions),
    ...reproductionLines(night, experimentId),
    ...firstLines(night, value, mentions),
    ...rivalLines(night, mentions),
    ...takeOverLines(night, champion),
  ];
}

/** Returns lines about a better value that does not belong to the champion, with the reasons. */
function rivalLines({ facts: { ledger, target } }: Night, mentions: Mentions): string[] {
  const { rival, decisive } = ledger;
  const first = rival && leadOf(rival.runs);
  if (rival === undefined || first === undefined) return [];
  const { experimentId, decision } = first;
  const kept = decision?.isProvisional ? ['kept provisionally'] : [];
  const reasons = [
    ...(rival.n === 1 ? ['one run only'] : []),
    ...(decision?.decision === 'keep' ? kept : ['not kept']),
    ...(target === undefined ? [] : unmetTexts(target, ledger, rival.runs)),
  ];
  const numbers = rival.runs.map(({ number }) => number);
  const of = experimentId === undefined ? '' : ` of ${mentions.experiment(experimentId)}`;
  const word = decisive?.direction === 'higher' ? 'Higher' : 'Lower';
  return [
    `- ${word}, but not confirmed: ${plain(resultValueText(rival))} in ${mentions.runs(numbers, maxRepeats)}${of} (${reasons.join('; ')})`,
  ];
}

/** Returns lines about the repeats of the champion, and the best of their values. */
function repeatLines({ facts: { ledger } }: Night, mentions: Mentions): string[] {
  const { best } = ledger;
  if (best?.spread === undefined) return ['- Measured once, so run-to-run noise is unknown.'];
  const numbers = best.runs.map(({ number }) => number);
  const times =
    numbers.length === best.n
      ? `${best.n} times`
      : `with ${best.n} seeds in ${numbers.length} runs`;
  return [
    `- Measured ${times} (n = ${best.n}); the best value is ${formatValue(best.best)}: ${mentions.runs(numbers, maxRepeats)}`,
  ];
}

function reproductionLines({ facts: { ledger } }: Night, id: string | undefined): string[] {
  const row = ledger.experiments.find((one) => one.id === id);
  const texts = row === undefined ? [] : reproductionTexts(row, ledger.decisive);
  return texts.map((text) => `- Afterwards ${plain(text, 200)}`);
}

const unmetTexts = (target: Target, ledger: Ledger, runs: readonly LedgerRow[]): string[] =>
  (judgeRows(target, ledger, runs)[0]?.conditions ?? [])
    .filter(({ isMet }) => !isMet)
    .map(({ text }) => plain(text, 200));

/** Returns lines on how to get the code of the champion; empty if the code was not stored. */
function takeOverLines({ facts }: Night, { experimentId }: LedgerRow): string[] {
  const row = facts.ledger.experiments.find(({ id }) => id === experimentId);
  if (row?.plan?.code.kind !== 'git') return [];
  const command = code(`helios promote ${facts.session.id} ${row.id}`);
  const ref = `refs/helios/${facts.session.id}`;
  const branch = branchOf(row.plan.code, facts.session.id);
  const from = branch === undefined ? '' : `, made on ${code(`${ref}/${branch}`)}`;
  const change = facts.championChange === undefined ? '' : ` (${plain(facts.championChange, 120)})`;
  return [
    `- Its code is ${code(`${ref}/${row.id}`)}${from}${change}. Take it over as a branch: ${command}, or _Helios: Promote Champion…_`,
  ];
}

/**
 * Returns lines that compare the champion with the baseline: the setting decided as `reference`,
 * otherwise the first setting.
 */
function firstLines({ facts: { ledger } }: Night, value: number, mentions: Mentions): string[] {
  const { decisive, experiments, best } = ledger;
  if (decisive === undefined) return [];
  const groups = resultGroups(experiments, decisive);
  const group =
    groups.find((runs) => leadOf(runs)?.decision?.decision === 'reference') ??
    groups.toSorted(([a], [b]) => (a?.number ?? 0) - (b?.number ?? 0))[0];
  const start = group && summaryOfRepeats(group, decisive);
  const isChampion = start?.runs.some((run) => best?.runs.includes(run) === true);
  if (start === undefined || isChampion === true || start.mean === value) return [];
  const isReference = leadOf(start.runs)?.decision?.decision === 'reference';
  const numbers = start.runs.map(({ number }) => number);
  const spread = start.spread === undefined ? '' : ` ± ${formatSpread(start.spread)}`;
  // A percentage is meaningless for a negative value or a change of sign.
  const change =
    start.mean > 0 && value >= 0
      ? ` (since then ${percent((value - start.mean) / start.mean)})`
      : '';
  return [
    `- ${isReference ? 'Baseline' : 'First value'}: ${formatValue(start.mean)}${spread} in ${mentions.runs(numbers, maxRepeats)}${change}`,
  ];
}

const maxSeedTexts = 3;

const seedLines = ({ facts: { ledger } }: Night): string[] =>
  [
    ...idleSeedTexts(ledger.experiments).slice(0, maxSeedTexts),
    ...unsteadySeedTexts(ledger).slice(0, maxSeedTexts),
  ].map((text) => `- ${plain(text)}`);

function evidenceLines({ facts }: Night, mentions: Mentions): string[] {
  return facts.evidence.slice(0, maxEvidence).map(({ run, metric, last, best, count }) => {
    const values = `last ${formatValue(last)}, best ${formatValue(best)}, ${counted(count, 'point')}`;
    return `- Evidence at the end: ${plain(metric)} of ${mentions.run(run)}: ${values}`;
  });
}

const percent = (share: number): string =>
  `${share > 0 ? '+' : ''}${Number((100 * share).toPrecision(3))} %`;
