import type { SeriesColumns } from '../../metrics/metric.ts';
import type { PanelRun } from '../../protocol/metricsPanel.ts';
import type { PanelSource } from './panelSource.ts';

const rowsPerPart = 20_000;

/**
 * Yields CSV with a row per point of the given runs and metrics, in parts of bounded size.
 * `seconds` is the time since the start of the run. A missing step is an empty cell.
 */
export async function* csvParts(
  source: Pick<PanelSource, 'series'>,
  runs: readonly PanelRun[],
  metrics: readonly string[],
): AsyncIterable<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode('run,label,machine,metric,step,seconds,value\n');
  for (const metric of metrics) {
    for (const run of runs) {
      const series = await source.series(run.id, metric);
      if (series === undefined) continue;
      const head = [run.name, run.label, run.machine, metric].map(csvCell).join(',');
      for await (const part of series.sampled?.read() ?? [series])
        for (let from = 0; from < part.values.length; from += rowsPerPart)
          yield encoder.encode(rowsOf(part, { head, from, startedMs: series.startedMs }));
    }
  }
}

function rowsOf(
  { steps, timesMs, values }: SeriesColumns,
  { head, from, startedMs }: { readonly head: string; readonly from: number; startedMs: number },
): string {
  const rows: string[] = [];
  for (let index = from; index < Math.min(values.length, from + rowsPerPart); index++) {
    const step = steps[index] ?? Number.NaN;
    const seconds = ((timesMs[index] ?? Number.NaN) - startedMs) / 1000;
    rows.push(`${head},${Number.isNaN(step) ? '' : step},${seconds},${csvNumber(values[index])}\n`);
  }
  return rows.join('');
}

const csvNumber = (value = Number.NaN): string =>
  Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'NaN' : value > 0 ? 'Inf' : '-Inf';

/**
 * Quotes the cell if needed. A cell that a spreadsheet would read as a formula gets a leading
 * apostrophe, because labels are written by the model and are not trusted.
 */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
