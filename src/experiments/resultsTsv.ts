/**
 * Reads and writes `results.tsv` in the format of the project autoresearch: one line per
 * experiment, with tabs between `commit`, the metric, `memory_gb`, `status` and `description`.
 * Commits have seven characters, values six decimals, memory one decimal; a crash has zeros. An
 * empty field is an unknown memory use, as tools for this format read it.
 */
import { UserFacing } from '../base/errors.ts';
import { cleanText, oneLine } from '../base/text.ts';
import { directionOf } from '../metrics/direction.ts';
import type { CodeState } from './experiment.ts';
import { summaryFor, type ExperimentRow, type ImportedResult, type Ledger } from './ledger.ts';

const maxProblems = 10;
const maxRows = 10_000;
const maxDescriptionChars = 500;

/**
 * Returns the ended experiments as text, oldest first, with measured values only. An experiment
 * without a measured value has the status `crash`. A reference before the first kept experiment is
 * the baseline and has the status `keep`. Any other experiment without the decision keep has the
 * status `discard`. The description names a decision that differs from the status.
 */
export function writeResultsTsv({ experiments, decisive }: Ledger): string {
  const metric = field(decisive?.metric ?? 'metric');
  const ended = experiments.filter(({ status }) => status === 'over');
  const firstKept = ended.findIndex(({ decision }) => decision?.decision === 'keep');
  const lines = ended.map((row, index) =>
    resultLine(row, isReference(row) && (firstKept < 0 || index < firstKept)),
  );
  return [`commit\t${metric}\tmemory_gb\tstatus\tdescription`, ...lines, ''].join('\n');
}

const isReference = ({ decision }: ExperimentRow): boolean => decision?.decision === 'reference';

function resultLine(row: ExperimentRow, isBaseline: boolean): string {
  const { result, plan, hypothesis } = row;
  const decision = row.decision?.decision;
  const commit = commitOf(plan?.code).slice(0, 7);
  if (result === undefined || decision === 'crash')
    return [commit, '0.000000', '0.0', 'crash', field(hypothesis)].join('\t');
  const memory = memoryGb(row)?.toFixed(1) ?? '';
  const status = isBaseline || decision === 'keep' ? 'keep' : 'discard';
  const note = decision === status ? '' : ` (${decision ?? 'not decided'})`;
  return [commit, valueText(result.mean), memory, status, field(`${hypothesis}${note}`)].join('\t');
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
const field = (text: string): string => oneLine(text, Infinity).replaceAll('"', "'");

const memoryMetrics: readonly (readonly [string, number])[] = [
  ...['peak_vram_mb', 'vram_mb', 'peak_memory_mb', 'memory_mb', 'max_memory_mb'].map(
    (name) => [name, 1024] as const,
  ),
  ...['memory_gb', 'peak_memory_gb', 'peak_vram_gb', 'vram_gb', 'max_memory_gb'].map(
    (name) => [name, 1] as const,
  ),
];

/**
 * Returns the highest memory use that a run of the experiment printed as a metric, in GB;
 * `undefined` if no run printed its memory use.
 */
function memoryGb({ runs }: ExperimentRow): number | undefined {
  const measured = runs.flatMap(({ metrics }) =>
    memoryMetrics.flatMap(([name, unit]) => {
      const max = summaryFor(metrics, name)?.max;
      return max !== undefined && Number.isFinite(max) ? [max / unit] : [];
    }),
  );
  return measured.length === 0 ? undefined : Math.max(0, ...measured);
}

interface Columns {
  readonly commit: number;
  readonly value: number;
  readonly memory: number;
  readonly statuses: readonly number[];
  readonly description: number;
  readonly metric: string;
  readonly count: number;
}

/**
 * Reads the rows of a `results.tsv`, including files saved by editors and spreadsheets: quoted
 * fields, any line endings, tabs in a description in the last column. See `readResults`.
 */
export const readResultsTsv = (text: string, source = 'results.tsv'): readonly ImportedResult[] =>
  readResults(
    text
      .replace(/^\uFEFF/, '')
      .split(/\r\n?|\n/)
      .map((line) => line.split('\t')),
    source,
  );

/**
 * Reads the rows of a ledger of experiments. The first line with text names the columns: a status or
 * decision; perhaps a commit or hash, `memory_gb`, and a description or notes. The metric is the column
 * after the commit, else the first other column with numbers; further columns are ignored. A row that
 * is not kept needs no value, and the value of a crash is never read. If any line is invalid, throws
 * `UserFacing` that lists the first ten invalid lines.
 */
export function readResults(
  lines: readonly (readonly string[])[],
  source: string,
): readonly ImportedResult[] {
  const rows = lines.map((cells) => cells.map(unquoted));
  const header = rows.findIndex((cells) => !isBlank(cells));
  const columns = columnsOf(rows.slice(Math.max(0, header)), source);
  const problems: string[] = [];
  const results = rows.flatMap((cells, index): ImportedResult[] => {
    if (index <= header || isBlank(cells)) return [];
    const read = resultOf(cells, columns);
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

const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

/** Removes the quotes that spreadsheets add. */
const unquoted = (cell: string): string =>
  /^\s*"([^]*)"\s*$/.exec(cell)?.[1]?.replaceAll('""', '"') ?? cell;

const names = {
  commit: /^(?:(?:git[_ ]?)?(?:commit|hash|sha)(?:[_ ](?:hash|sha|id))?)$/,
  decision: /^(?:decision|kept|keep)$/,
  status: /^(?:status|verdict|outcome|state)$/,
  memory: /^(?:peak_)?(?:memory|vram|mem)_?gb$/,
  description: /^(?:description|desc|hypothesis|idea|change|summary|notes?|comment)$/,
  /** Matches columns with numbers that are not results, such as times and sizes. */
  other:
    /^(?:.*\bid|.*_id|#|no|nr|n|num|number|index|run|iter(?:ation)?s?|exp(?:eriment)?|trial|round|steps?|epochs?|seeds?|lr|learning_rate|time(?:stamp)?|date|ts|.*_at|duration.*|.*(?:seconds|minutes|_sec|_ms|_s)|(?:peak_)?(?:memory|vram|mem).*|usd|cost|tokens|params|num_params.*|has_.*|is_.*)$/,
} as const;

function columnsOf(
  [header = [], ...rows]: readonly (readonly string[])[],
  source: string,
): Columns {
  const titles = header.map((name) => plainText(name, 80));
  const lower = titles.map((name) => name.toLowerCase());
  const at = (pattern: RegExp): number => lower.findIndex((name) => pattern.test(name));
  const twice = lower.find((name, index) => name !== '' && lower.indexOf(name) < index);
  const statuses = [at(names.decision), at(names.status)].filter((index) => index >= 0);
  const [commit, description] = [at(names.commit), at(names.description)];
  const value = valueColumn(lower, rows, commit);
  if (statuses.length === 0 || value === undefined || twice !== undefined)
    throw new UserFacing(
      `${source} was not imported. Line 1: the header is ${JSON.stringify(oneLine(header.join('\t'), 200))}${twice === undefined ? '' : `, which has ${JSON.stringify(twice)} twice`}.`,
      'It must have these columns, separated by tabs: commit, the name of the metric, memory_gb, status, description.',
    );
  const metric = titles[value] ?? '';
  const count = titles.length;
  return { commit, value, memory: at(names.memory), statuses, description, metric, count };
}

/**
 * Returns the column of the metric: the column after the commit. If that column cannot be the
 * metric, returns the first column with numbers whose name implies a direction, otherwise the first
 * column with numbers.
 */
function valueColumn(
  lower: readonly string[],
  rows: readonly (readonly string[])[],
  commit: number,
): number | undefined {
  const taken = [names.commit, names.decision, names.status, names.description, names.other];
  const isFree = (name: string | undefined): boolean =>
    name !== undefined && name !== '' && !taken.some((pattern) => pattern.test(name));
  if (commit >= 0 && isFree(lower[commit + 1])) return commit + 1;
  const candidates = lower.flatMap((name, index) =>
    isFree(name) && rows.some((cells) => numberOf((cells[index] ?? '').trim()) !== undefined)
      ? index
      : [],
  );
  const isKnown = (index: number): boolean => directionOf(lower[index] ?? '') !== 'none';
  return candidates.find(isKnown) ?? candidates[0];
}

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

type Status = ImportedResult['status'];

/** Words in ledgers for the status of an experiment: how it ended, or what was decided. */
const words: readonly (readonly [Status, RegExp])[] = [
  [
    'crash',
    /^(?:crash|fail|error|oom|out of memory|killed|timeout|time limit|timed?.?out|lost|preempted|ended by signal|invalid|nan\b|aborted)/,
  ],
  ['keep', /^(?:keep|kept|accept|champion|best|baseline|yes|true|✓|✔)/],
  ['discard', /^(?:discard|reject|revert|worse|no\b|false|✗|✘|retest|reference)/],
  ['ok', /^(?:ok|success|succeeded|done|complete|finished|measured|pass)/],
  ['unknown', /^(?:running|queued|pending|planned|started|-|)$/],
];

/**
 * Returns the status of a row: a crash takes precedence over a decision, and a decision over a
 * success. If a word is not understood, returns the word instead.
 */
function statusOf(
  fields: readonly string[],
  { statuses }: Columns,
): Status | { readonly word: string } {
  const found: Status[] = [];
  for (const index of statuses) {
    const word = (fields[index] ?? '').trim().toLowerCase();
    const status = words.find(([, pattern]) => pattern.test(word))?.[0];
    if (status === undefined) return { word };
    found.push(status);
  }
  return words.map(([status]) => status).find((status) => found.includes(status)) ?? 'unknown';
}

function resultOf(
  all: readonly string[],
  columns: Columns,
): ImportedResult | { readonly problem: string } {
  const fields = fitted(all, columns);
  if (fields.length !== columns.count)
    return { problem: `it has ${fields.length} fields, but the header has ${columns.count}` };
  const of = (index: number): string => (fields[index] ?? '').trim();
  const status = statusOf(fields, columns);
  if (typeof status === 'object')
    return { problem: `its status is ${JSON.stringify(status.word)}, not keep, discard or crash` };
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
