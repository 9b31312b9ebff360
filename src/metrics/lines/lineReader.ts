/** Reads the metrics in the lines of one output: at once or, with patterns, later. */
import type { Disposable } from '../../base/disposable.ts';
import type { MetricPoint } from '../metric.ts';
import type { LineMatcher, LineSplitter } from './lineSplitter.ts';

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

/** Reads lines in bytes. */
export interface MatchReader {
  /** See `LineMatcher`. */
  match: LineMatcher['match'];
  /** Reads the line that was recognised last. */
  read(place: LinePlace): void;
}

export interface LineReader extends Disposable {
  /** Reads a line. */
  read(line: string, place: LinePlace): void;
  /** Reads the lines that it recognises, instead of `read`; undefined if it recognises none. */
  readonly shapes: MatchReader | undefined;
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

/** Reads the lines that the next bytes complete. `placeOf` returns the place of a line by its end. */
export function readLines(
  reader: LineReader,
  splitter: LineSplitter,
  bytes: Uint8Array,
  placeOf: (end: number) => LinePlace,
): void {
  const { shapes } = reader;
  splitter.push(
    bytes,
    (line, end) => reader.read(line, placeOf(end)),
    shapes && {
      match: (chunk, text, start) => shapes.match(chunk, text, start),
      onMatch: (end) => shapes.read(placeOf(end)),
    },
  );
}
