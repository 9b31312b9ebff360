/** Converts records to CSV (RFC 4180), TSV or JSON as a stream. */
import type { Cell, ExportRecord } from './exportRecords.ts';

export const exportFormats = ['csv', 'json', 'tsv'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface ExportShape {
  readonly format: ExportFormat;
  readonly columns: readonly string[];
  /** Removes secrets from a text. Default: no secrets are removed. */
  redact?(text: string): string;
}

/**
 * Yields the text in pieces. NaN and the infinities become `NaN`, `Infinity` and `-Infinity`
 * (strings in JSON), and lone surrogates are replaced. In CSV and TSV, a cell that a spreadsheet
 * would read as a formula gets a leading apostrophe, and NUL characters are removed, because some
 * programs end a text at NUL.
 */
export async function* exportText(
  records: AsyncIterable<ExportRecord>,
  { format, columns, redact = (text) => text }: ExportShape,
): AsyncGenerator<string, void, void> {
  if (format === 'json') return yield* jsonText(records, columns, redact);
  const cells = format === 'csv' ? csvCell : tsvCell;
  const [separator, end] = format === 'csv' ? [',', '\r\n'] : ['\t', '\n'];
  yield columns.join(separator) + end;
  for await (const record of records)
    yield columns.map((column) => cells(plainText(record[column], redact))).join(separator) + end;
}

type Redact = (text: string) => string;

async function* jsonText(
  records: AsyncIterable<ExportRecord>,
  columns: readonly string[],
  redact: Redact,
): AsyncGenerator<string, void, void> {
  let before = '[\n';
  for await (const record of records) {
    const entries = columns.map((column) => [column, record[column] ?? null]);
    yield before + JSON.stringify(Object.fromEntries(entries), written(redact));
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

const written =
  (redact: Redact) =>
  (_key: string, value: unknown): unknown => {
    if (typeof value === 'string') return redact(value).toWellFormed();
    return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
  };

function plainText(cell: Cell, redact: Redact): string {
  if (cell === undefined) return '';
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell);
  const text =
    typeof cell === 'string' ? redact(cell).toWellFormed() : JSON.stringify(cell, written(redact));
  return unlikeFormula(text.replaceAll('\u0000', ''));
}

/**
 * Puts an apostrophe in front of text that a spreadsheet would read as a formula. Signed numbers
 * are no formulas and stay unchanged.
 */
const unlikeFormula = (text: string): string =>
  /^[=+\-@\t\r\n]/.test(text) && !/^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text)
    ? `'${text}`
    : text;

const csvCell = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};
const tsvCell = (text: string): string =>
  text.replace(/[\\\t\n\r]/g, (char) => escapes[char] ?? char);
