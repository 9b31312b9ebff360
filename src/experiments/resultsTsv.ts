/**
 * Reads and writes `results.tsv` in the format of the project autoresearch: one line per
 * experiment, with tabs between `commit`, the metric, `memory_gb`, `status` and `description`.
 * Commits have seven characters, values six decimals, memory one decimal; a crash has zeros.
 */
import { UserFacing } from '../base/errors.ts';
import { cleanText, oneLine } from '../base/text.ts';
import type { CodeState } from './experiment.ts';
import { summaryFor, type ExperimentRow, type ImportedResult, type Ledger } from './ledger.ts';

const maxProblems = 10;
const maxRows = 10_000;
const maxDescriptionChars = 500;
const statuses = ['keep', 'discard', 'crash'] as const;

/**
 * Returns the ended experiments as text, oldest first, with measured values only. An experiment
 * without a measured value has the status `crash`. Any other experiment without the decision keep
 * has the status `discard`; if its decision is not discard, its description names the decision.
 */
export function writeResultsTsv({ experiments, decisive }: Ledger): string {
  const metric = field(decisive?.metric ?? 'metric');
  const lines = experiments.filter(({ status }) => status === 'over').map(resultLine);
  return [`commit\t${metric}\tmemory_gb\tstatus\tdescription`, ...lines, ''].join('\n');
}

function resultLine(row: ExperimentRow): string {
  const { result, decision, plan, hypothesis } = row;
  const commit = commitOf(plan?.code).slice(0, 7);
  const isCrash = result === undefined || decision?.decision === 'crash';
  const value = isCrash ? '0.000000' : valueText(result.mean);
  const memory = isCrash ? '0.0' : memoryGb(row).toFixed(1);
  const status = isCrash ? 'crash' : decision?.decision === 'keep' ? 'keep' : 'discard';
  const note =
    isCrash || decision?.decision === status ? '' : ` (${decision?.decision ?? 'not decided'})`;
  return [commit, value, memory, status, field(`${hypothesis}${note}`)].join('\t');
}

const commitOf = (code: CodeState | undefined): string =>
  (code?.kind === 'git' ? ((code.isDirty ? code.commit : code.head) ?? code.head) : undefined) ??
  '0000000';

/** Returns the value with six decimals or, below 0.001, in exponential notation. */
const valueText = (value: number): string =>
  value !== 0 && Math.abs(value) < 0.001 ? value.toExponential(6) : value.toFixed(6);

/**
 * Returns the text without characters that a reader could take for a field separator, a line end,
 * or an opening quote.
 */
const field = (text: string): string => oneLine(text, maxDescriptionChars).replaceAll('"', "'");

const memoryMetrics: readonly (readonly [string, number])[] = [
  ...['peak_vram_mb', 'vram_mb', 'peak_memory_mb', 'memory_mb', 'max_memory_mb'].map(
    (name) => [name, 1024] as const,
  ),
  ...['memory_gb', 'peak_memory_gb', 'peak_vram_gb', 'vram_gb', 'max_memory_gb'].map(
    (name) => [name, 1] as const,
  ),
];

/**
 * Returns the highest memory use that a run of the experiment printed as a metric, in GB; 0 if no
 * run printed its memory use.
 */
function memoryGb({ runs }: ExperimentRow): number {
  const measured = runs.flatMap(({ metrics }) =>
    memoryMetrics.flatMap(([name, unit]) => {
      const max = summaryFor(metrics, name)?.max;
      return max !== undefined && Number.isFinite(max) ? [max / unit] : [];
    }),
  );
  return Math.max(0, ...measured);
}

interface Columns {
  readonly commit: number;
  readonly value: number;
  readonly memory: number;
  readonly status: number;
  readonly description: number;
  readonly metric: string;
  readonly count: number;
}

/**
 * Reads the rows of a `results.tsv`, including files saved by editors and spreadsheets: quoted
 * fields, any line endings, tabs in a description in the last column. The metric is the column
 * after `commit`; `memory_gb` is optional, and unknown columns are ignored. A discard or a crash
 * needs no value. If any line is invalid, throws `UserFacing` that lists the first ten invalid
 * lines.
 */
export function readResultsTsv(text: string, source = 'results.tsv'): readonly ImportedResult[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n?|\n/);
  const header = lines.findIndex((line) => line.trim() !== '');
  const columns = columnsOf(lines[header] ?? '', source);
  const problems: string[] = [];
  const results = lines.flatMap((line, index): ImportedResult[] => {
    if (index <= header || line.trim() === '') return [];
    const read = resultOf(fieldsOf(line), columns);
    if ('problem' in read) problems.push(`Line ${index + 1}: ${read.problem}.`);
    return 'problem' in read ? [] : [read];
  });
  const unlisted = problems.length - maxProblems;
  const listed = [
    ...problems.slice(0, maxProblems),
    ...(unlisted > 0 ? [`… and ${unlisted} more lines.`] : []),
  ];
  if (problems.length > 0)
    throw new UserFacing(
      `${source} was not imported. ${listed.join(' ')}`,
      'Fix these lines, then import the file again.',
    );
  if (results.length > maxRows)
    throw new UserFacing(
      `${source} was not imported: it has ${results.length} results, and ${maxRows} is the maximum.`,
      'Remove the oldest results from the file, then import it again.',
    );
  return results;
}

function columnsOf(header: string, source: string): Columns {
  const names = fieldsOf(header).map((name) => plainText(name, 80));
  const at = (name: string): number => names.findIndex((one) => one.toLowerCase() === name);
  const [commit, status, description] = [at('commit'), at('status'), at('description')];
  const metric = names[commit + 1] ?? '';
  if (
    [commit, status, description].includes(-1) ||
    ['', 'status', 'description', 'memory_gb'].includes(metric)
  )
    throw new UserFacing(
      `${source} was not imported. Line 1: the header is ${JSON.stringify(oneLine(header, 200))}.`,
      'It must have these columns, separated by tabs: commit, the name of the metric, memory_gb, status, description.',
    );
  return {
    commit,
    value: commit + 1,
    memory: at('memory_gb'),
    status,
    description,
    metric,
    count: names.length,
  };
}

/** Splits a line into fields and removes the quotes that spreadsheets add. */
const fieldsOf = (line: string): string[] =>
  line
    .split('\t')
    .map((field) => /^\s*"([^]*)"\s*$/.exec(field)?.[1]?.replaceAll('""', '"') ?? field);

const plainText = (text: string, maxChars: number): string =>
  oneLine(cleanText(text), maxChars).trim();

/**
 * Returns as many fields as there are columns. If the description is the last column, joins surplus
 * fields into it; otherwise, drops surplus fields that are empty.
 */
function fitted(fields: readonly string[], { description, count }: Columns): readonly string[] {
  if (fields.length <= count) return fields;
  const rest = fields.slice(count - 1);
  if (description === count - 1) return [...fields.slice(0, count - 1), rest.join(' ')];
  return rest.slice(1).every((field) => field.trim() === '') ? fields.slice(0, count) : fields;
}

function resultOf(
  all: readonly string[],
  columns: Columns,
): ImportedResult | { readonly problem: string } {
  const fields = fitted(all, columns);
  if (fields.length !== columns.count)
    return { problem: `it has ${fields.length} fields, but the header has ${columns.count}` };
  const of = (index: number): string => (fields[index] ?? '').trim();
  const word = of(columns.status).toLowerCase();
  const status = statuses.find((one) => one === word);
  if (status === undefined)
    return { problem: `its status is ${JSON.stringify(word)}, not keep, discard or crash` };
  const value = numberOf(of(columns.value));
  const memory = numberOf(of(columns.memory));
  const isNone = of(columns.value) === '' || notFinite.test(of(columns.value));
  if (value === undefined && (status === 'keep' || !(isNone || status === 'crash')))
    return {
      problem: `its ${columns.metric} is ${JSON.stringify(of(columns.value))}, not a number`,
    };
  return {
    commit: plainText(of(columns.commit), 80),
    metric: columns.metric,
    status,
    description: plainText(of(columns.description), maxDescriptionChars),
    ...(status !== 'crash' && value !== undefined && { value }),
    ...(status !== 'crash' && memory !== undefined && { memoryGb: memory }),
  };
}

const notFinite = /^[-+]?(?:nan|inf|infinity|-|n\/a|none|null)$/i;
const decimal = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i;

function numberOf(text: string): number | undefined {
  const value = decimal.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}
