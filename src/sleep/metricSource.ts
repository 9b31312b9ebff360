/** Reads one number from a file or from the output of a command. */
import { HeliosError } from '../base/errors.ts';
import { oneLine } from '../base/text.ts';
import type { CommandState } from '../machines/probes/probe.ts';
import type { SleepMachine } from './sleepPorts.ts';
import type { Comparator, MetricSource } from './trigger.ts';

/** Thrown when there is no number to compare yet; the message states the reason. */
class NoValue extends HeliosError {
  readonly reason = 'no_value';
}

const maxJsonBytes = 4 * 1024 * 1024;
const csvHeadBytes = 16 * 1024;
const csvTailBytes = 64 * 1024;

/** Returns whether the comparison is true. NaN and ±Infinity satisfy no comparison. */
export function holds(value: number, comparator: Comparator, threshold: number): boolean {
  if (!Number.isFinite(value)) return false;
  switch (comparator) {
    case '<':
      return value < threshold;
    case '>':
      return value > threshold;
    case '<=':
      return value <= threshold;
    case '>=':
      return value >= threshold;
    case '==':
      return value === threshold;
    case '!=':
      return value !== threshold;
  }
}

/** A file, named by `path` in messages. `real` is its real path, from which it is read. */
export type ReadSource = Extract<MetricSource, { readonly path: string }> & {
  readonly real: string;
};

/**
 * Reads the number from a JSON or CSV file. `sizeBytes` is the file's size at the last probe.
 * Rejects with `NoValue` or `MachineFailure`.
 */
export function readFileValue(
  machine: FileReader,
  source: ReadSource,
  field: string,
  sizeBytes: number,
): Promise<number> {
  return source.type === 'json_file'
    ? readJsonValue(machine, source, field)
    : readCsvValue(machine, source, field, sizeBytes);
}

type FileReader = Pick<SleepMachine, 'readFile'>;

async function readJsonValue(
  machine: FileReader,
  { path, real }: ReadSource,
  field: string,
): Promise<number> {
  const bytes = await machine.readFile(real, { offset: 0, maxBytes: maxJsonBytes + 1 });
  if (bytes.length > maxJsonBytes)
    throw new NoValue(`${path} is larger than ${maxJsonBytes >> 20} MiB`);
  const value = fieldOf(parseJson(new TextDecoder().decode(bytes), path), field);
  if (typeof value !== 'number') throw new NoValue(`${path} has no number at "${field}"`);
  return value;
}

/** Parses the text as a JSON document; if that fails, parses the last complete line as JSON. */
function parseJson(text: string, path: string): unknown {
  for (const candidate of [text, completeLines(text).at(-1) ?? '']) {
    try {
      return JSON.parse(candidate);
    } catch {
      continue;
    }
  }
  throw new NoValue(`${path} is not valid JSON`);
}

/**
 * Returns the value of the member `field`. If there is no member named `eval.loss`, returns the
 * member `loss` of the member `eval`.
 */
function fieldOf(value: unknown, field: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, field)) return (value as Record<string, unknown>)[field];
  const dot = field.indexOf('.');
  if (dot < 0) return undefined;
  return fieldOf(fieldOf(value, field.slice(0, dot)), field.slice(dot + 1));
}

/**
 * Reads the value from the last row that ends with a line break. A row without a line break may
 * still be in the process of being written, and hold only part of a number.
 */
async function readCsvValue(
  machine: FileReader,
  { path, real }: ReadSource,
  field: string,
  sizeBytes: number,
): Promise<number> {
  const decode = async (offset: number, maxBytes: number): Promise<string[]> =>
    completeLines(new TextDecoder().decode(await machine.readFile(real, { offset, maxBytes })));
  const head = await decode(0, csvHeadBytes);
  const tail =
    sizeBytes > csvHeadBytes
      ? await decode(Math.max(0, sizeBytes - csvTailBytes), csvTailBytes)
      : head;
  const columns = csvCells(head[0] ?? '');
  const index = columns.indexOf(field);
  if (index < 0)
    throw new NoValue(
      `${path} has no column "${field}"; it has ${oneLine(columns.join(', '), 200)}`,
    );
  const row = tail.at(-1);
  if (row === undefined || (tail === head && head.length < 2))
    throw new NoValue(`${path} has no rows yet`);
  const cell = csvCells(row)[index] ?? '';
  return numberFrom(cell, `the last row of ${path}`);
}

/** Returns the non-empty lines that end with a line break. */
const completeLines = (text: string): string[] =>
  text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '');

/** Splits a row at commas outside quotation marks. */
function csvCells(line: string): string[] {
  const cells = [''];
  let isQuoted = false;
  for (const char of line.replace(/^\ufeff/, '')) {
    if (char === '"') isQuoted = !isQuoted;
    else if (char === ',' && !isQuoted) cells.push('');
    else cells.push((cells.pop() ?? '') + char);
  }
  return cells.map((cell) => cell.trim());
}

/**
 * Returns the number in the last line of a command's output. Throws `NoValue` when there is none.
 */
export function commandValue({ code, stdout, stderr }: CommandState): number {
  if (code !== 0) {
    const how = code === undefined ? 'because it took too long' : `with exit code ${code}`;
    throw new NoValue(`the command ended ${how}: ${oneLine(stderr || stdout, 200)}`);
  }
  const line = stdout.trim().split('\n').at(-1) ?? '';
  return numberFrom(line, 'the last line that the command printed');
}

function numberFrom(text: string, where: string): number {
  const value = Number(text.trim());
  if (text.trim() !== '' && !Number.isNaN(value)) return value;
  if (/^[+-]?nan$/i.test(text.trim())) return NaN;
  throw new NoValue(`${where} has "${oneLine(text, 80)}", which is not a number`);
}
