/** The ledger as Markdown tables, for the journal document. */
import { rowStatus, summaryFor } from '../../presentation/runs/runText.ts';
import { costText } from '../../presentation/sessions/sessionText.ts';
import { decisionText, resultValueText } from '../../presentation/experiments/experimentText.ts';
import type { ExperimentRow, Ledger } from '../../experiments/ledger.ts';
import { formatDuration, formatValue } from '../../base/text.ts';
import { plain } from '../../base/markdown.ts';

/**
 * Returns Markdown with a table of the experiments and a table of the runs. A table without rows is
 * omitted.
 */
export function ledgerTable(ledger: Ledger): string {
  const experiments = ledger.experiments.filter(({ plan }) => plan !== undefined);
  return [experimentTable(experiments), runTable(ledger)]
    .filter((table) => table !== '')
    .join('\n\n');
}

function experimentTable(rows: readonly ExperimentRow[]): string {
  if (rows.length === 0) return '';
  const lines = rows.map((row) => {
    const cells = [
      `${row.id}${row.isChampion ? ' (champion)' : ''}`,
      plain(row.hypothesis, 120),
      row.result === undefined ? '' : plain(resultValueText(row.result), 80),
      plain(row.verdicts, 80),
      row.runs.map(({ number }) => number).join(', '),
      plain(decisionText(row), 200),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return `| Experiment | Hypothesis | Measured | Result | Runs | Decision |\n| :-- | :-- | :-- | :-- | :-- | :-- |\n${lines.join('\n')}`;
}

function runTable({ rows, decisive }: Ledger): string {
  if (rows.length === 0) return '';
  const lines = rows.map((row) => {
    const summary = decisive && summaryFor(row.metrics, decisive.metric);
    const took =
      row.startedMs === undefined || row.endedMs === undefined ? '' : row.endedMs - row.startedMs;
    const cells = [
      `${row.number}${row.isChampion ? ' (champion)' : ''}`,
      plain(row.label, 60),
      plain(row.machineId, 40),
      plain(rowStatus(row), 120),
      took === '' ? '' : formatDuration(took),
      summary ? formatValue(summary.last) : '',
      summary ? formatValue(summary.best) : '',
      row.cost ? costText(row.cost) : '',
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const metric = decisive ? ` ${plain(decisive.metric, 40)}` : '';
  return `| Run | What | Machine | Result | Took | Last${metric} | Best${metric} | Thinking |\n| --: | :-- | :-- | :-- | --: | --: | --: | --: |\n${lines.join('\n')}`;
}
