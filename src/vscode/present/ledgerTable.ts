/** The ledger as a Markdown table. Pure: no `vscode` here. */
import { rowStatus, summaryFor, type Ledger } from '../../experiments/ledger.ts';
import { costWords } from '../../agent/costs.ts';
import { formatDuration, formatValue } from '../../base/text.ts';
import { plain } from './words.ts';

/** Empty when there is no run. */
export function ledgerTable({ rows, decisive }: Ledger): string {
  if (rows.length === 0) return '';
  const lines = rows.map((row) => {
    const summary = decisive && summaryFor(row.metrics, decisive.metric);
    const took = row.startedMs === undefined || row.endedMs === undefined ? '' : row.endedMs - row.startedMs;
    const cells = [
      `${row.number}${row.isChampion ? ' (champion)' : ''}`,
      plain(row.label, 60),
      plain(row.machineId, 40),
      plain(rowStatus(row), 60),
      took === '' ? '' : formatDuration(took),
      summary ? formatValue(summary.last) : '',
      summary ? formatValue(summary.best) : '',
      row.cost ? costWords(row.cost) : '',
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const metric = decisive ? ` ${plain(decisive.metric, 40)}` : '';
  return `| Run | What | Machine | Result | Took | Last${metric} | Best${metric} | Thinking |\n| --: | :-- | :-- | :-- | --: | --: | --: | --: |\n${lines.join('\n')}`;
}
