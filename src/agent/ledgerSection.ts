/** The table of runs for a briefing: the best, those that go on, and the newest, whatever their number. */
import { formatValue, oneLine } from '../base/text.ts';
import { rowStatus, summaryFor, type Ledger, type LedgerRow } from '../experiments/ledger.ts';
import { listSection, type Section } from './sections.ts';

const maxMetrics = 6;
const maxCommandChars = 160;
/** More than this is a table to ask for, not to carry along. */
const maxRows = 40;

export function ledgerSection(share: number, ledger: Ledger): Section {
  const lines = ranked(ledger)
    .slice(0, maxRows)
    .map((row) => ({ text: rowText(row), position: row.number }));
  const unlisted = ledger.rows.length - lines.length;
  return listSection(share, lines, (leftOut) => title(ledger, unlisted + leftOut));
}

function title({ rows, champion, decisive }: Ledger, leftOut: number): string {
  const counts = [...Map.groupBy(rows, rowStatus)].map(([status, group]) => `${group.length} ${status}`);
  const best =
    champion && decisive ? `Best by ${decisive.metric} (${decisive.direction}): run ${champion.number}. ` : '';
  const missing = leftOut > 0 ? ` ${leftOut} of them not listed; compare_runs and show_metrics know all.` : '';
  return `${best}Runs: ${counts.slice(0, 8).join(', ')}.${missing}`;
}

/** The champion, then by turns the newest that goes on, the newest that is over, and the next best. */
function ranked(ledger: Ledger): LedgerRow[] {
  const newest = ledger.rows.toReversed();
  const queues = [
    newest.filter(({ verdict }) => verdict === undefined),
    newest.filter(({ verdict }) => verdict !== undefined),
    bestFirst(ledger),
  ];
  const taken = new Set<LedgerRow>(ledger.champion === undefined ? [] : [ledger.champion]);
  for (let turn = 0; taken.size < ledger.rows.length && queues.some(({ length }) => turn < length); turn += 1)
    for (const queue of queues) {
      const row = queue[turn];
      if (row !== undefined) taken.add(row);
    }
  return [...taken];
}

function bestFirst({ rows, decisive }: Ledger): LedgerRow[] {
  if (decisive === undefined) return [];
  const sign = decisive.direction === 'lower' ? 1 : -1;
  return rows
    .flatMap((row) => {
      const summary = summaryFor(row.metrics, decisive.metric);
      return summary !== undefined && Number.isFinite(summary.best) ? [{ row, value: sign * summary.best }] : [];
    })
    .sort((one, other) => one.value - other.value)
    .map(({ row }) => row);
}

function rowText(row: LedgerRow): string {
  const metrics = row.metrics
    .slice(0, maxMetrics)
    .map((one) => `${one.metric} last ${formatValue(one.last)} best ${formatValue(one.best)}`);
  const parts = [
    `- run ${row.number}`,
    row.runId,
    ...(row.handle === undefined ? [] : [row.handle]),
    row.label,
    rowStatus(row),
    ...metrics,
    oneLine(row.command, maxCommandChars),
  ];
  return parts.join(' · ');
}
