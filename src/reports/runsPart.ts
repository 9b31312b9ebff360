/** Builds the table of runs, with their values and output paths. */
import { code, plain } from '../base/markdown.ts';
import { counted, formatDuration, formatValue } from '../base/text.ts';
import { summaryFor } from '../experiments/ledger.ts';
import type { RunFacts } from './facts.ts';
import { runPlace, type Mentions } from './mentions.ts';
import type { Night } from './night.ts';

/** Maximum number of runs in the table that no other part of the report mentions. */
const maxOthers = 40;

export function runsPart(night: Night, mentions: Mentions): string {
  const { runs, ledger } = night.facts;
  if (runs.length === 0) return '';
  let others = 0;
  const shown = runs.filter(({ number }) => mentions.hasRun(number) || (others += 1) <= maxOthers);
  const rest = runs.length - shown.length;
  const metric = ledger.decisive === undefined ? 'Metric' : plain(ledger.decisive.metric, 40);
  const head = `| Run | What | Machine | Result | Time | ${metric}, last | best | Output |\n| --: | :-- | :-- | :-- | --: | --: | --: | :-- |`;
  const rows = shown.map((run) => runRow(night, run, mentions));
  const omitted =
    rest === 0
      ? ''
      : `\n\n${counted(rest, 'more run')} ${rest === 1 ? 'is' : 'are'} omitted: no other part of this report mentions ${rest === 1 ? 'it' : 'them'}.`;
  return `## Runs (${runs.length})\n\n${head}\n${rows.join('\n')}${omitted}`;
}

function runRow({ facts: { ledger }, rowOf }: Night, run: RunFacts, mentions: Mentions): string {
  const row = rowOf(run);
  const summary = row && ledger.decisive && summaryFor(row.metrics, ledger.decisive.metric);
  const experiment =
    row?.experimentId === undefined ? '' : `${mentions.experiment(row.experimentId)} `;
  const mark = row?.isChampion === true ? ' **champion**' : '';
  const cells = [
    `${runPlace(run.number)}${mark}`,
    `${experiment}${plain(run.label, 80)}`,
    plain(run.machineId, 40),
    plain(run.status, 120),
    run.tookMs === undefined ? '' : formatDuration(run.tookMs),
    summary === undefined ? '' : formatValue(summary.last),
    summary === undefined ? '' : formatValue(summary.best),
    run.outputPath === undefined ? '' : cellCode(run.outputPath),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Escapes `|`, which would end the cell even inside code. */
const cellCode = (text: string): string => code(text, 200).replaceAll('|', '\\|');
