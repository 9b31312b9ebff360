/**
 * Binary format of the recorded metrics of a run. A file starts with `fileHeader`, followed by
 * records of 40 bytes, all little-endian:
 * ```
 *  0 u32 checksum of the other 36 bytes
 *  4 u32 name index × 8 + kind × 2 + 1 for the last record of its line
 *  8 f64 step (NaN: none)
 * 16 f64 time (ms since 1970)
 * 24 f64 value
 * 32 f64 end offset
 * ```
 * The end offset is the position in the run's output after the line of the point. Records are in
 * the order in which their lines were read.
 */
import type { MetricPoint } from '../metric.ts';

export const recordBytes = 40;
export const fileHeader = Buffer.from('helios points 1\n', 'latin1');

/**
 * `point`: a point of a metric. `clear`: earlier points are no longer shown. `progress`: the output
 * was read up to the end offset without finding further points.
 */
type RecordKind = 'point' | 'clear' | 'progress';
const kinds: readonly RecordKind[] = ['point', 'clear', 'progress'];

export interface PointRecord {
  readonly kind: RecordKind;
  /** Index of the metric's name in `points.names`. */
  readonly name: number;
  readonly step: number;
  readonly timeMs: number;
  readonly value: number;
  readonly endOffset: number;
  /** Whether this is the last point of its line of output. */
  readonly isLastOfLine: boolean;
}

/** Values of a record without a point. */
export const noPoint: MetricPoint = { metric: '', step: NaN, timeMs: 0, value: NaN };

/** After this number of bytes without points, the position is recorded for the next restart. */
export const progressEveryBytes = 1024 * 1024;

export function writeRecord(
  view: DataView,
  at: number,
  { step, timeMs, value }: Pick<PointRecord, 'step' | 'timeMs' | 'value'>,
  { kind, name, endOffset, isLastOfLine }: Omit<PointRecord, 'step' | 'timeMs' | 'value'>,
): void {
  const packed = name * 8 + kinds.indexOf(kind) * 2 + (isLastOfLine ? 1 : 0);
  view.setUint32(at + 4, packed, true);
  view.setFloat64(at + 8, step, true);
  view.setFloat64(at + 16, timeMs, true);
  view.setFloat64(at + 24, value, true);
  view.setFloat64(at + 32, endOffset, true);
  view.setUint32(at, checksum(view, at), true);
}

/** Returns whether the record at `at` is a point of the metric with the index `name`. */
export function isPoint(view: DataView, at: number, name: number): boolean {
  const packed = view.getUint32(at + 4, true);
  return packed >>> 3 === name && kinds[(packed >>> 1) & 3] === 'point';
}

/** Read the step, the time and the value of the record at `at`, which must be valid. */
export const stepAt = (view: DataView, at: number): number => view.getFloat64(at + 8, true);
export const timeAt = (view: DataView, at: number): number => view.getFloat64(at + 16, true);
export const valueAt = (view: DataView, at: number): number => view.getFloat64(at + 24, true);

/** Reads the record at `at`; `undefined` if the bytes are not a valid record. */
export function readRecord(view: DataView, at: number): PointRecord | undefined {
  const packed = view.getUint32(at + 4, true);
  const kind = kinds[(packed >>> 1) & 3];
  if (kind === undefined || view.getUint32(at, true) !== checksum(view, at)) return undefined;
  return {
    kind,
    name: packed >>> 3,
    step: stepAt(view, at),
    timeMs: timeAt(view, at),
    value: valueAt(view, at),
    endOffset: view.getFloat64(at + 32, true),
    isLastOfLine: (packed & 1) === 1,
  };
}

/**
 * Returns the FNV-1a checksum over 32-bit words. The checksum of zeros is not 0, so zeros that a
 * power failure left in the file are not a valid record.
 */
function checksum(view: DataView, at: number): number {
  let hash = 0x811c9dc5;
  for (let offset = at + 4; offset < at + recordBytes; offset += 4)
    hash = Math.imul(hash ^ view.getUint32(offset, true), 0x01000193);
  return hash >>> 0;
}
