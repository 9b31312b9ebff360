/**
 * The table of results for a paper: one row per setting, with its repeats as mean and standard
 * deviation. Columns are the options that differ. Contains measured values only.
 */
import { plain } from '../base/markdown.ts';
import { commandForm } from '../experiments/commandForm.ts';
import type { Decisive, Ledger, LedgerRow } from '../experiments/ledger.ts';
import { measuredValue, resultGroups } from '../experiments/ledgerExperiments.ts';
import { runName } from '../runs/run.ts';

export type TableFormat = 'md' | 'tex' | 'csv';

interface Setting {
  readonly settings: ReadonlyMap<string, string>;
  readonly values: readonly number[];
  readonly runs: readonly LedgerRow[];
}

/** A table as text, before it is written in a format. */
interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Best setting first. Empty text if nothing was measured. `max` limits the rows, but the setting
 * decided as reference is always among them.
 */
export function settingsTable(ledger: Ledger, format: TableFormat, max = Infinity): string {
  const { decisive } = ledger;
  if (decisive === undefined) return '';
  const settings = settingsOf(ledger, decisive);
  if (settings.length === 0) return '';
  const shown = settings.filter((one, place) => place < max || isReference(one));
  const columns = differing(settings);
  if (format === 'csv') return csv(csvTable(shown, columns, decisive));
  return format === 'tex'
    ? tex(paperTable(shown, columns, decisive, ' $\\pm$ '))
    : markdown(withDecisions(paperTable(shown, columns, decisive, ' ± '), shown));
}

/**
 * Adds a column with the decisions, unless every setting is undecided or has a confirmed `keep`.
 */
function withDecisions({ head, rows }: Table, settings: readonly Setting[]): Table {
  const texts = settings.map(({ runs: [run] }) =>
    run?.decision === undefined
      ? undefined
      : `${run.decision.decision}${run.decision.isProvisional ? ' (provisional)' : ''}`,
  );
  if (texts.every((text) => text === undefined || text === 'keep')) return { head, rows };
  return {
    head: [...head, 'decision'],
    rows: rows.map((cells, index) => [...cells, texts[index] ?? 'not decided']),
  };
}

const isReference = ({ runs }: Setting): boolean => runs[0]?.decision?.decision === 'reference';

/** Number of settings with a value. */
export const settingCount = (ledger: Ledger): number =>
  ledger.decisive === undefined ? 0 : settingsOf(ledger, ledger.decisive).length;

function settingsOf(ledger: Ledger, decisive: Decisive): readonly Setting[] {
  const sign = decisive.direction === 'lower' ? 1 : -1;
  const settings = resultGroups(ledger.experiments, decisive)
    .map((runs) => ({
      settings: commandForm(runs[0]?.command ?? '').settings,
      values: runs.flatMap((run) => measuredValue(run, decisive) ?? []),
      runs,
    }))
    .toSorted((a, b) => sign * (mean(a.values) - mean(b.values)));
  return withExperiments(settings);
}

/**
 * Adds the ids of experiments if several settings have the same options, because their code
 * differs.
 */
function withExperiments(settings: readonly Setting[]): readonly Setting[] {
  const texts = new Set(settings.map((one) => JSON.stringify([...one.settings].toSorted())));
  if (texts.size === settings.length) return settings;
  return settings.map((one) => ({
    ...one,
    settings: new Map([['experiment', one.runs[0]?.experimentId ?? ''], ...one.settings]),
  }));
}

/** Returns the names of options whose values differ, in the order in which they appear. */
function differing(settings: readonly Setting[]): readonly string[] {
  const names = [...new Set(settings.flatMap((one) => [...one.settings.keys()]))];
  return names.filter(
    (name) => new Set(settings.map((one) => one.settings.get(name) ?? '')).size > 1,
  );
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function deviation(values: readonly number[]): number | undefined {
  if (values.length < 2) return undefined;
  const center = mean(values);
  return Math.sqrt(
    values.reduce((sum, value) => sum + (value - center) ** 2, 0) / (values.length - 1),
  );
}

const maxDigits = 7;

/** Returns the number of decimals that the runs printed, at most 7 digits in all. */
const decimalsOf = (values: readonly number[]): number =>
  Math.max(
    0,
    ...values.map((value) => {
      const [digits = '', exponent = '0'] = String(Number(value.toPrecision(maxDigits))).split('e');
      return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent));
    }),
  );

/** Returns the number of decimals that show the first digit of the deviation. */
const decimalsOfSpread = (values: readonly number[]): number =>
  Math.max(0, Math.ceil(-Math.log10(deviation(values) || 1)));

function valueText(values: readonly number[], decimals: number, plusMinus: string): string {
  const spread = deviation(values);
  const center = mean(values).toFixed(decimals);
  return spread === undefined ? center : `${center}${plusMinus}${spread.toFixed(decimals)}`;
}

function paperTable(
  settings: readonly Setting[],
  columns: readonly string[],
  { metric, rule }: Decisive,
  plusMinus: string,
): Table {
  // Each row has the decimals that the runs printed, or more if a deviation needs them.
  const all = settings.map(({ values }) => values);
  const decimals = Math.min(12, Math.max(decimalsOf(all.flat()), ...all.map(decimalsOfSpread)));
  return {
    head: [...columns, 'n', rule === 'best' ? `${metric} (best)` : metric],
    rows: settings.map(({ settings: values, values: measured }) => [
      ...columns.map((name) => values.get(name) ?? ''),
      String(measured.length),
      valueText(measured, decimals, plusMinus),
    ]),
  };
}

function csvTable(
  settings: readonly Setting[],
  columns: readonly string[],
  { metric }: Decisive,
): Table {
  return {
    head: [...columns, 'n', metric, 'standard deviation', 'runs'],
    rows: settings.map(({ settings: values, values: measured, runs }) => [
      ...columns.map((name) => values.get(name) ?? ''),
      String(measured.length),
      String(Number(mean(measured).toPrecision(12))),
      String(deviation(measured) ?? ''),
      runs.map(({ number }) => runName(number)).join(' '),
    ]),
  };
}

function markdown({ head, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cellText).join(' | ')} |`;
  return [line(head), `|${head.map(() => ' --: |').join('')}`, ...rows.map(line), ''].join('\n');
}

/**
 * Returns the cell as Markdown. Numbers are not escaped, so that the table can be pasted elsewhere.
 */
const cellText = (text: string): string => (/^[-+\d.e ±]*$/.test(text) ? text : plain(text, 80));

/** Returns a table for the LaTeX package booktabs. */
function tex({ head, rows }: Table): string {
  const line = (cells: readonly string[]): string => `${cells.join(' & ')} \\\\`;
  const escaped = (cells: readonly string[]): string => line(cells.map(texText));
  const values = (cells: readonly string[]): string =>
    line([...cells.slice(0, -1).map(texText), cells.at(-1) ?? '']);
  return [
    `\\begin{tabular}{${'r'.repeat(head.length)}}`,
    '\\toprule',
    escaped(head),
    '\\midrule',
    ...rows.map(values),
    '\\bottomrule',
    '\\end{tabular}',
    '',
  ].join('\n');
}

const texNames: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
};

const texText = (text: string): string =>
  text.replace(/[\\~^]|[&%$#_{}]/g, (sign) => texNames[sign] ?? `\\${sign}`);

const csv = ({ head, rows }: Table): string =>
  [head, ...rows].map((cells) => `${cells.map(csvCell).join(',')}\n`).join('');

/** Quotes a cell. A cell that a spreadsheet would take for a formula is changed to text. */
function csvCell(text: string): string {
  const safe = /^[=+@\t]|^-(?![\d.])/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
