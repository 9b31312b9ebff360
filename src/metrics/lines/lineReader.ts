/** Reads the metrics in the lines of one output: at once or, with patterns, later. */
import type { Disposable } from '../../base/disposable.ts';
import type { MetricPoint } from '../metric.ts';

/** `end`: position in the output after the line. `timeMs`: time of the points of the line. */
export interface LinePlace {
  readonly end: number;
  readonly timeMs: number;
}

export interface LineSink {
  /** Called for each line with points, in the order of the output. */
  onPoints(points: readonly MetricPoint[], end: number): void;
  /** Called when lines were read after `read` returned. All lines up to `last` are read now. */
  onReadLate(last: LinePlace): void;
  /** Called with each new header of a table, before the points of its rows. */
  onHeader?(header: string): void;
  /** Called when lines are no longer searched for a metric; `why` is a text for user and model. */
  onSwitchedOff(why: string): void;
}

export interface LineReader extends Disposable {
  /** Reads a line. */
  read(line: string, place: LinePlace): void;
  /** Resolves when every line is read. Never rejects. */
  settled(): Promise<void>;
  /** Pending while so many lines wait that no further lines should be added. */
  readonly backlog: Promise<void> | undefined;
  /** True if `read` only adds lines, which are read later. */
  readonly isLate: boolean;
  /** Continues a table whose header an earlier process read. */
  resume(header: string): void;
  /** Discards the lines that are not read yet. */
  forget(): void;
}
