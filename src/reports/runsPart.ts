/** Builds the table of runs, with their values and output paths. */
import { code, plain } from '../base/markdown.ts';
import { formatDuration, formatValue } from '../base/text.ts';
import { summaryFor } from '../experiments/ledger.ts';
import type { RunFacts } from './facts.ts';
import { runPlace } from './mentions.ts';
import type { Night } from './night.ts';

export function runsPart(night: Night): string {
  const { runs, ledger } = night.facts;
  const metric = ledger.decisive === undefined ? 'Metric' : plain(ledger.decisive.metric, 40);
  const head = `| Run | What | Machine | Result | Time | ${metric}, last | best | Output |\n| --: | :-- | :-- | :-- | --: | --: | --: | :-- |`;
  return [head, ...runs.map((run) => runRow(night, run))].join('\n');
}

function runRow({ facts: { ledger }, rowOf }: Night, run: RunFacts): string {
  const row = rowOf(run);
  const summary = row && ledger.decisive && summaryFor(row.metrics, ledger.decisive.metric);
  const experiment = row?.experimentId === undefined ? '' : `${row.experimentId} `;
  const mark = row?.isChampion === true ? ' **champion**' : '';
  const cells = [
    `${runPlace(run.number)}${mark}`,
    `${experiment}${plain(run.label, 80)}`,
    plain(run.machineId, 40),
    `${plain(run.status, 120)}${row?.decision?.decision === 'invalid' ? ' · invalid' : ''}`,
    run.tookMs === undefined ? '' : formatDuration(run.tookMs),
    summary === undefined ? '' : formatValue(summary.last),
    summary === undefined ? '' : formatValue(summary.best),
    run.outputPath === undefined ? '' : cellCode(run.outputPath),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Escapes `|`, which would end the cell even inside code. */
const cellCode = (text: string): string => code(text, 200).replaceAll('|', '\\|');
