/**
 * Renders the table of experiments for a briefing. The table is limited in size: it shows the best,
 * the active and the newest experiments.
 */
import { oneLine } from '../../base/text.ts';
import {
  experimentStatus,
  resultValueText,
  rowStatus,
  statusCounts,
  type ExperimentRow,
  type Ledger,
  type LedgerRow,
} from '../../experiments/ledger.ts';
import { measuredValue } from '../../experiments/ledgerExperiments.ts';
import { printedValue } from '../../metrics/printedValue.ts';
import { decisionText, resultText } from '../experiments/experimentLabels.ts';
import { listSection, type Section } from './sectionBudget.ts';
import { runName, runNames } from '../../runs/run.ts';

const maxMetrics = 6;
const maxCommandChars = 160;
/** Maximum number of rows; the model can read the other rows with tools. */
const maxRows = 40;

export function ledgerSection(share: number, ledger: Ledger): Section {
  const entries = entriesOf(ledger);
  const lines = ranked(entries, ledger)
    .slice(0, maxRows)
    .map(({ text, position }) => ({ text: text(), position }));
  const unlisted = entries.length - lines.length;
  return listSection(share, lines, (leftOut) => title(ledger, unlisted + leftOut));
}

/** Line of the table: an experiment with its runs, or a run without an experiment. */
interface Entry {
  readonly position: number;
  readonly isGoing: boolean;
  readonly isChampion: boolean;
  /** Value of the decisive metric, by which the experiments are ranked. */
  readonly value?: number;
  text(): string;
}

const entriesOf = ({ experiments, decisive }: Ledger): Entry[] =>
  experiments
    .flatMap((row) =>
      row.plan === undefined ? row.runs.map((run) => runEntry(run, decisive)) : [plannedEntry(row)],
    )
    .toSorted((a, b) => a.position - b.position);

function runEntry(run: LedgerRow, decisive: Ledger['decisive']): Entry {
  const value = decisive && measuredValue(run, decisive);
  return {
    position: run.number,
    isGoing: run.verdict === undefined,
    isChampion: run.isChampion,
    ...(value !== undefined && { value }),
    text: () => runText(run),
  };
}

const plannedEntry = (row: ExperimentRow): Entry => ({
  position: row.runs[0]?.number ?? Infinity,
  isGoing: row.status === 'running' || row.status === 'planned',
  isChampion: row.isChampion,
  ...(row.result && { value: row.result.mean }),
  text: () => experimentText(row),
});

function title(ledger: Ledger, leftOut: number): string {
  const { rows, champion, decisive, experiments, best: result, rival } = ledger;
  const best =
    champion && decisive && result
      ? `Best by ${decisive.metric} (${decisive.direction}): ${championName(champion)}, ${resultValueText(result)}. `
      : '';
  const other =
    rival?.lack === undefined
      ? ''
      : `Better, but not complete: ${resultValueText(rival)} in ${runNames(rival.runs.map(({ number }) => number))}. `;
  const missing =
    leftOut > 0
      ? ` ${leftOut} of them are not listed; compare_runs and show_metrics show all.`
      : '';
  const decided = experiments.filter(({ plan }) => plan !== undefined);
  const made = decided.length === 0 ? '' : `Experiments: ${decisionCounts(decided)}. `;
  return `${best}${other}${made}Runs: ${statusCounts(rows).slice(0, 8).join(', ')}.${missing}`;
}

const championName = ({ number, experimentId }: LedgerRow): string =>
  experimentId === undefined ? runName(number) : `${runName(number)} of ${experimentId}`;

const decisionCounts = (rows: readonly ExperimentRow[]): string =>
  [...Map.groupBy(rows, experimentStatus)]
    .map(([word, group]) => `${group.length} ${word}`)
    .join(', ');

/**
 * Ranks the champion first, then alternately the newest active, the newest finished and the next
 * best entry.
 */
function ranked(entries: readonly Entry[], { decisive }: Ledger): Entry[] {
  const newest = entries.toReversed();
  const sign = decisive?.direction === 'lower' ? 1 : -1;
  const queues = [
    newest.filter(({ isGoing }) => isGoing),
    newest.filter(({ isGoing }) => !isGoing),
    entries
      .filter(({ value }) => value !== undefined)
      .toSorted((a, b) => sign * ((a.value ?? 0) - (b.value ?? 0))),
  ];
  const chosen = new Set(entries.filter(({ isChampion }) => isChampion));
  for (
    let turn = 0;
    chosen.size < entries.length && queues.some(({ length }) => turn < length);
    turn += 1
  )
    for (const queue of queues) {
      const entry = queue[turn];
      if (entry !== undefined) chosen.add(entry);
    }
  return [...chosen];
}

const maxHypothesisChars = 160;
const maxRuns = 6;

function experimentText(row: ExperimentRow): string {
  const [first] = row.runs;
  const hypothesis = oneLine(row.hypothesis, maxHypothesisChars);
  const parts = [
    `- ${row.id}${hypothesis === '' || hypothesis === first?.label ? '' : `: ${hypothesis}`}`,
    decisionText(row),
    ...(row.runs.length === 1 && first !== undefined ? runParts(first) : manyParts(row)),
  ];
  return parts.join(' · ');
}

/**
 * Names active runs first, with their handles (`machine:pid` or `machine:job`), because the model's
 * next calls are usually about these runs.
 */
function manyParts(row: ExperimentRow): string[] {
  const runs = row.runs.toSorted(
    (a, b) => Number(b.verdict === undefined) - Number(a.verdict === undefined),
  );
  const named = runs
    .slice(0, maxRuns)
    .map((run) => `${runName(run.number)}${run.verdict ? '' : ` ${run.handle ?? ''}`}`);
  const more = runs.length > named.length ? ` and ${runs.length - named.length} more` : '';
  return [resultText(row), `${named.join(', ')}${more}`, oneLine(row.command, maxCommandChars)];
}

const runText = (row: LedgerRow): string => `- ${runParts(row).join(' · ')}`;

function runParts(row: LedgerRow): string[] {
  const metrics = row.metrics
    .slice(0, maxMetrics)
    .map(
      (one) =>
        `${one.metric} last ${printedValue(one.last, one)} best ${printedValue(one.best, one)}`,
    );
  return [
    runName(row.number),
    row.runId,
    ...(row.handle === undefined ? [] : [row.handle]),
    row.label,
    rowStatus(row),
    ...metrics,
    oneLine(row.command, maxCommandChars),
  ];
}
