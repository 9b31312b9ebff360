/**
 * Recognises lines that differ from an earlier line only in digits, as most lines of a log do, and
 * reads their numbers without searching them for names.
 *
 * The parser decides what a line means. It gives a shape to a line if its points do not depend on
 * the digits in the gaps of the shape, apart from their values. Every other character of a line is
 * compared with the shape, so the points of a recognised line are those that the parser would find.
 *
 * A line is expected to have a shape that followed the shape of the line before; otherwise, the
 * shape is found by a hash. There are at most `placeCount` shapes. A line gets a shape when the
 * last line at its place had the same hash, so a line that does not return costs only the hash.
 */
import {
  isLineEnd,
  isShapeCharacter,
  maxShapeChars,
  noShape,
  readShape,
  shapeNumbers,
  shapeOf,
  type LineShape,
  type PlacedPair,
} from './lineShape.ts';
import { counterOf } from './stepReader.ts';

const placeCount = 128;
/** Number of expected shapes. */
const followerCount = 4;
/** Maximum number of shapes for lines with one hash. */
const maxTrials = 8;

/** The points of all lines with one shape. */
export interface ShapePoints {
  readonly metrics: readonly string[];
  /** For each metric, the index of the pair with its value. */
  readonly pairs: readonly number[];
  /** Index of the pair with the step; -1 if the line has no step. */
  readonly step: number;
}

type KnownShape = LineShape &
  ShapePoints & {
    /** For each metric, whether it is a counter, whose value is no share of its total. */
    readonly counters: readonly boolean[];
  };

export class LineShapes {
  readonly #isAnyName: boolean;
  readonly #hashes = new Int32Array(placeCount);
  readonly #trials = new Uint8Array(placeCount);
  readonly #shapes: (KnownShape | undefined)[] = Array.from({ length: placeCount });
  /** For each place, the places of the shapes that followed its shape, newest first. */
  readonly #followers = new Int16Array(placeCount * followerCount).fill(noShape);
  /** Shape of the last recognised line, and its place. */
  #last: KnownShape | undefined;
  #lastPlace = 0;
  /** Place at which the line that was not recognised should get a shape. */
  #wanted = noShape;

  /** @param isAnyName See `shapeOf`. */
  constructor(isAnyName: boolean) {
    this.#isAnyName = isAnyName;
  }

  /** Whether the line that `match` has not recognised should get a shape. */
  get isWanted(): boolean {
    return this.#wanted !== noShape;
  }

  /** Number of points of the last recognised line. */
  get count(): number {
    return this.#last?.metrics.length ?? 0;
  }

  /** Returns the line end of the line at `start` if the line is recognised: see `readShape`. */
  match(bytes: DataView, text: string, start: number): number {
    this.#wanted = noShape;
    const first = this.#lastPlace * followerCount;
    for (let at = first; at < first + followerCount; at++) {
      const end = this.#readAt(this.#followers[at] ?? noShape, bytes, text, start);
      if (end !== noShape) return end;
    }
    const place = this.#placeOf(bytes, start);
    const end = this.#readAt(place, bytes, text, start);
    if (end !== noShape) this.#addFollower(first, place);
    return end;
  }

  #addFollower(first: number, place: number): void {
    this.#wanted = noShape;
    this.#followers.copyWithin(first + 1, first, first + followerCount - 1);
    this.#followers[first] = place;
  }

  /** Calls `emit` for each point of the last recognised line, before the next line is matched. */
  emit(emit: (metric: string, step: number, value: number) => void): void {
    if (this.#last === undefined) return;
    const { metrics, pairs, counters, step } = this.#last;
    const { values, shares } = shapeNumbers;
    const stepValue = step < 0 ? NaN : (values[step] ?? NaN);
    for (let at = 0; at < metrics.length; at++)
      emit(
        metrics[at] ?? '',
        stepValue,
        (counters[at] === true ? values : shares)[pairs[at] ?? 0] ?? NaN,
      );
  }

  /** Gives a shape to the line that `match` has not recognised. */
  learn(line: string, pairs: readonly PlacedPair[], points: ShapePoints): void {
    const shape = shapeOf(line, pairs, this.#isAnyName);
    const counters = points.metrics.map((metric) => counterOf(metric) !== undefined);
    if (shape !== undefined && this.isWanted)
      this.#shapes[this.#wanted] = { ...shape, ...points, counters };
    this.#wanted = noShape;
  }

  /** Removes all shapes. */
  clear(): void {
    this.#shapes.fill(undefined);
    this.#wanted = noShape;
  }

  #readAt(place: number, bytes: DataView, text: string, start: number): number {
    const shape = place < 0 ? undefined : this.#shapes[place];
    if (shape === undefined) return noShape;
    const end = readShape(shape, bytes, text, start);
    if (end === noShape) return noShape;
    this.#last = shape;
    this.#lastPlace = place;
    return end;
  }

  /** Returns the place of the shape of a line, and decides whether the line should get a shape. */
  #placeOf(bytes: DataView, start: number): number {
    const hash = hashOf(bytes, start);
    if (hash === 0) return noShape;
    const place = (hash ^ (hash >>> 16)) & (placeCount - 1);
    const trials = this.#trials[place] ?? 0;
    if (this.#hashes[place] !== hash) {
      this.#hashes[place] = hash;
      this.#trials[place] = 0;
      this.#shapes[place] = undefined;
    } else if (trials < maxTrials) {
      this.#trials[place] = trials + 1;
      this.#wanted = place;
    }
    return place;
  }
}

const [plus, nine] = [0x2b, 0x39];
/**
 * Contribution of each character to the hash: none of digits, and of the signs that a number may
 * have.
 */
const weights = Int32Array.from({ length: 128 }, (_, code) =>
  code >= plus && code <= nine ? 0 : Math.imul((code + 1) ** 3, 0x9e3779b1),
);

/** Returns a hash of a line without its digits; 0 if the line is empty or can have no shape. */
function hashOf(bytes: DataView, start: number): number {
  let hash = 1;
  for (let at = start; at <= start + maxShapeChars; at++) {
    const code = bytes.getUint8(at);
    if (!isShapeCharacter(code)) return isLineEnd(code) && at > start ? hash : 0;
    // A sum, because a branch or a product would take longer than the comparison with a shape.
    hash = (hash + (weights[code] ?? 0)) | 0;
  }
  return 0;
}
