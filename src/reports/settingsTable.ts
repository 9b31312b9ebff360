/**
 * The table of results for a paper: one row per setting, with its repeats as mean and standard
 * deviation. Columns are the experiment where the code differs, the options that differ, what the
 * target limits, other metrics on validation and test data, and how the setting was decided.
 * Contains measured values only.
 */
import { plain } from '../base/markdown.ts';
import { formatFixed } from '../base/text.ts';
import type { Decisive, Ledger } from '../experiments/ledger.ts';
import { measuredRows } from '../experiments/ledgerExperiments.ts';
import {
  repeatStatistics,
  valuesOfSeeds,
  type MeasuredRow,
} from '../experiments/repeatStatistics.ts';
import type { Statistics } from '../experiments/seeds.ts';
import type { Target } from '../experiments/target/target.ts';
import { runName } from '../runs/run.ts';
import { conditionColumns, targetTexts, type MetricColumn } from './conditionColumns.ts';
import { evaluationColumns } from './evaluationColumns.ts';
import { differing, keepRank, settingsOf, type Setting } from './settingRows.ts';

export type TableFormat = 'md' | 'tex' | 'csv';

/** A table as text, before it is written in a format. */
interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

interface TableOptions {
  readonly target?: Target | undefined;
  /**
   * Maximum number of rows, to which further settings decided as reference are added. Kept settings
   * and references are shown before others.
   */
  readonly max?: number;
}

/** Text of a cell if the command does not name the option. */
export const unnamedOption = 'default';

/** Returns the table, in the order of `settingsOf`; empty text if nothing was measured. */
export function settingsTable(
  ledger: Ledger,
  format: TableFormat,
  { target, max = Infinity }: TableOptions = {},
): string {
  const { decisive } = ledger;
  if (decisive === undefined) return '';
  const settings = settingsOf(ledger, decisive);
  if (settings.length === 0) return '';
  const chosen = new Set(settings.toSorted((a, b) => choiceRank(a) - choiceRank(b)).slice(0, max));
  const shown = settings.filter((one) => chosen.has(one) || isReference(one));
  const conditions = conditionColumns(target, decisive);
  const ranked = [decisive.metric, ...conditions.map(({ metric }) => metric)];
  const runs = settings.flatMap((one) => one.runs);
  const parts = {
    shown,
    options: differing(settings),
    decisive,
    columns: [...conditions, ...evaluationColumns(runs, ranked)],
    marks: [
      ...worstMarks(shown, decisive, target),
      ...decisionMarks(shown),
      ...targetMarks(ledger, shown, target),
    ],
  };
  if (format === 'csv') return csv(csvTable(parts));
  return format === 'tex' ? tex(paperTable(parts)) : markdown(paperTable(parts));
}

interface TableParts {
  readonly shown: readonly Setting[];
  /** Names of the options that differ. */
  readonly options: readonly string[];
  readonly decisive: Decisive;
  readonly columns: readonly MetricColumn[];
  readonly marks: readonly Column[];
}

/** A column with a cell for each row. */
type Column = readonly [head: string, cells: readonly string[]];

/** Returns a column with the worst seed of each setting; none if the target does not compare it. */
function worstMarks(
  settings: readonly Setting[],
  decisive: Decisive,
  target: Target | undefined,
): Column[] {
  const isCompared = target?.conditions.some(
    ({ metric, over }) => metric === decisive.metric && over === 'worst',
  );
  if (!isCompared) return [];
  const worst = decisive.direction === 'lower' ? Math.max : Math.min;
  const values = settings.map(({ runs }) => valuesOfSeeds(measuredRows(runs, decisive)));
  const decimals = decimalsOf(values.flat());
  return [['worst seed', values.map((some) => formatFixed(worst(...some), decimals))]];
}

/**
 * Returns a column with the decisions; none if every setting is undecided or has a confirmed
 * `keep`.
 */
function decisionMarks(settings: readonly Setting[]): Column[] {
  const texts = settings.map(
    ({ lead: { decision } }) =>
      decision && `${decision.decision}${decision.isProvisional ? ' (provisional)' : ''}`,
  );
  if (texts.every((text) => text === undefined || text === 'keep')) return [];
  return [['decision', texts.map((text) => text ?? 'not decided')]];
}

function targetMarks(
  { experiments }: Ledger,
  settings: readonly Setting[],
  target: Target | undefined,
): Column[] {
  const runs = settings.map((one) => one.runs);
  const texts = targetTexts(target, experiments, runs);
  return texts === undefined ? [] : [['target', texts]];
}

/** Ranks kept settings before references, and these before others. */
const choiceRank = (one: Setting): number => 2 * keepRank(one) - Number(isReference(one));

const isReference = ({ lead }: Setting): boolean => lead.decision?.decision === 'reference';

/** Number of settings with a value. */
export const settingCount = (ledger: Ledger): number =>
  ledger.decisive === undefined ? 0 : settingsOf(ledger, ledger.decisive).length;

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
const decimalsOfSpread = ({ spread }: Statistics): number =>
  Math.max(0, Math.ceil(-Math.log10(spread || 1)));

function valueText({ mean, spread }: Statistics, decimals: number): string {
  const text = formatFixed(mean, decimals);
  return spread === undefined ? text : `${text} ± ${formatFixed(spread, decimals)}`;
}

/** Formats the values of each row with the decimals that the runs printed, or more for a spread. */
function valueCells(rows: readonly (readonly MeasuredRow[])[]): readonly string[] {
  const all = rows.map(repeatStatistics);
  const values = rows.flatMap((measured) => measured.map(({ value }) => value));
  const decimals = Math.min(12, Math.max(decimalsOf(values), ...all.map(decimalsOfSpread)));
  return all.map((one) => (one.n === 0 ? '' : valueText(one, decimals)));
}

/** Formats the values in another metric; one value if all repeats have the same. */
const conditionCells = ({ valuesOf }: MetricColumn, shown: readonly Setting[]): Column[1] =>
  valueCells(
    shown.map(({ runs }) => {
      const measured = valuesOf(runs);
      const isSame = new Set(measured.map(({ value }) => value)).size === 1;
      return isSame ? measured.slice(0, 1) : measured;
    }),
  );

function paperTable({ shown, options, decisive, columns, marks }: TableParts): Table {
  const { metric, rule } = decisive;
  return tableOf([
    ...experimentColumns(shown),
    ...options.map((name) => optionColumn(name, shown, unnamedOption)),
    ['n', shown.map(({ n }) => String(n))],
    [
      rule === 'best' ? `${metric} (best)` : metric,
      valueCells(shown.map(({ runs }) => measuredRows(runs, decisive))),
    ],
    ...columns.map((column): Column => [column.metric, conditionCells(column, shown)]),
    ...marks,
  ]);
}

function csvTable({ shown, options, decisive, columns, marks }: TableParts): Table {
  const digits = (value: number): string => String(Number(value.toPrecision(12)));
  return tableOf([
    ...experimentColumns(shown.map((one) => ({ experiment: one.name }))),
    ...options.map((name) => optionColumn(name, shown, '')),
    ['n', shown.map(({ n }) => String(n))],
    [decisive.metric, shown.map((one) => digits(one.mean))],
    ['standard deviation', shown.map(({ spread }) => (spread === undefined ? '' : digits(spread)))],
    ...columns.map(({ metric, valuesOf }): Column => {
      const all = shown.map(({ runs }) => repeatStatistics(valuesOf(runs)));
      return [metric, all.map(({ mean, n }) => (n === 0 ? '' : digits(mean)))];
    }),
    ...marks,
    ['runs', shown.map(({ runs }) => runs.map(({ number }) => runName(number)).join(' '))],
  ]);
}

/** Returns a column that names the experiments; none if the options tell the settings apart. */
const experimentColumns = (
  shown: readonly { readonly experiment?: string | undefined }[],
): readonly Column[] =>
  shown.every(({ experiment }) => experiment === undefined)
    ? []
    : [['experiment', shown.map(({ experiment = '' }) => experiment)]];

/** Returns the values of an option; a flag without a value is `on`. */
const optionColumn = (name: string, shown: readonly Setting[], unnamed: string): Column => [
  name,
  shown.map(({ settings }) => (settings.has(name) ? settings.get(name) || 'on' : unnamed)),
];

const tableOf = (columns: readonly Column[]): Table => ({
  head: columns.map(([head]) => head),
  rows: (columns[0]?.[1] ?? []).map((_, row) => columns.map(([, cells]) => cells[row] ?? '')),
});

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
  return [
    `\\begin{tabular}{${'r'.repeat(head.length)}}`,
    '\\toprule',
    escaped(head),
    '\\midrule',
    ...rows.map(escaped),
    '\\bottomrule',
    '\\end{tabular}',
    '',
  ].join('\n');
}

const texNames: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
};

const texText = (text: string): string =>
  text
    .replace(/[\\~^<>]|[&%$#_{}]/g, (sign) => texNames[sign] ?? `\\${sign}`)
    .replaceAll(' ± ', ' $\\pm$ ');

const csv = ({ head, rows }: Table): string =>
  [head, ...rows].map((cells) => `${cells.map(csvCell).join(',')}\n`).join('');

/** Quotes a cell. A cell that a spreadsheet would take for a formula is changed to text. */
function csvCell(text: string): string {
  const safe = /^[=+@\t]|^-(?![\d.])/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
