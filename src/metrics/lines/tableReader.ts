/**
 * Reads tables: a header line that begins with a counter, such as `epoch  train_loss  val_loss`,
 * and lines with a number in each column.
 */
import type { Reading } from './labels.ts';
import type { Pair } from './lineFormats.ts';
import { numberSource, valueOf } from './numberText.ts';
import { counterOf } from './stepReader.ts';

interface Column {
  readonly label: string;
  readonly isMetric: boolean;
}

interface Table {
  readonly header: string;
  readonly separator: RegExp;
  readonly columns: readonly Column[];
}

export interface TableReaderOptions {
  readonly reading: Reading;
  /**
   * True if every column with a known meaning is read; otherwise, only columns with known metrics.
   */
  readonly isAsked: boolean;
  /** Called with each new header, so that a later process can continue the table. */
  onHeader(header: string): void;
}

const maxHeaderChars = 1000;
/** Quick test that excludes most lines, which are not headers. */
const mayBeHeader =
  /^[\s|]{0,80}(?:global[ _]?)?(?:epochs?|steps?|iters?|iterations?)\s{0,80}[\s|,]/i;
/** Matches a sign that most lines of progress have and that no name of a column contains. */
const hasSign = /[=:]/;
const startsWithNumber = /^[\s|]{0,80}\d/;
const name = /^[\p{L}_][\p{L}\p{N}_ ./@%()-]*$/u;
const cellNumber = new RegExp(`^(${numberSource})%?$`, 'i');
const count = /^(\d{1,15})\/\d{1,15}$/;
/** Matches a progress bar behind the numbers of a row. */
const bar = /\s\d{1,3}%\|[^]*/;

/** Reads the rows of tables. The state is the columns of the last header. */
export class TableReader {
  readonly #options: TableReaderOptions;
  #table: Table | undefined;

  constructor(options: TableReaderOptions) {
    this.#options = options;
  }

  /** Continues a table whose header an earlier process read. */
  resume(header: string): void {
    this.#table = this.#tableOf(header);
  }

  /** Returns whether the line may be a header, or a row of a table that has begun. */
  mayRead(line: string): boolean {
    const isRow = this.#table !== undefined && startsWithNumber.test(line);
    return isRow || (mayBeHeader.test(line) && !hasSign.test(line));
  }

  /** Begins a table if the line is the header of one. */
  begin(line: string): void {
    if (!mayBeHeader.test(line) || hasSign.test(line) || line === this.#table?.header) return;
    const table = this.#tableOf(line);
    if (table === undefined) return;
    this.#table = table;
    this.#options.onHeader(line);
  }

  /** Calls `onPair` for the step and the metrics of a row. Returns whether the line was a row. */
  readRow(line: string, onPair: (pair: Pair) => void): boolean {
    if (this.#table === undefined || !startsWithNumber.test(line)) return false;
    const { separator, columns } = this.#table;
    const cells = cellsOf(line.replace(bar, ''), separator);
    if (cells.length !== columns.length) return false;
    const values = cells.map(cellValue);
    const isRow = columns.every(
      ({ isMetric }, index) => values[index] !== undefined || (index > 0 && !isMetric),
    );
    if (!isRow) return false;
    for (const [index, { label, isMetric }] of columns.entries())
      if (index === 0 || isMetric)
        onPair({ label, value: values[index] ?? NaN, total: NaN, sign: 'clear', isMeasured: true });
    return true;
  }

  #tableOf(header: string): Table | undefined {
    if (header.length > maxHeaderChars) return undefined;
    const wide = /[|,\t]|\S\s{2,}\S/.exec(header.trim())?.[0] ?? ' ';
    const labels = cellsOf(header, wide.length > 1 ? /\s{2,}/ : separatorOf(wide));
    if (counterOf(labels[0] ?? '') === undefined || !labels.every((label) => name.test(label)))
      return undefined;
    const { reading, isAsked } = this.#options;
    const columns = labels.map((label, index) => {
      const { metric, isKnown } = reading(label);
      return { label, isMetric: index > 0 && metric !== undefined && (isAsked || isKnown) };
    });
    const isHeader = columns.some(({ isMetric }) => isMetric);
    return isHeader ? { header, separator: separatorOf(wide), columns } : undefined;
  }
}

const separatorOf = (sign: string): RegExp =>
  sign === '|' || sign === ',' ? RegExp(`[${sign}]`) : /\s+/;

const cellsOf = (line: string, separator: RegExp): readonly string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(separator)
    .map((cell) => cell.trim());

function cellValue(cell: string): number | undefined {
  const digits = cellNumber.exec(cell)?.[1] ?? count.exec(cell)?.[1];
  return digits === undefined ? undefined : valueOf(digits);
}
