/**
 * Regressions of a value on sets of columns, computed from the products of the columns alone. A set
 * grows by sweeps of a matrix (Goodnight), so that thousands of regressions take little time.
 */
import { product, type Column } from './columns.ts';

/** Share of a column's length below which what is left of it counts as a rounding error. */
const least = 1e-6;

/** The squares of a value that some columns explain. */
export interface Explained {
  readonly squares: number;
  /** Number of the columns that do not depend on others. */
  readonly columns: number;
}

export class Gram {
  /** Number of columns. The last row and column of the matrix are those of the value. */
  readonly size: number;
  readonly #cells: Float64Array;
  readonly #isIn: Uint8Array;
  /** Space for `explained`. */
  readonly #factor: Float64Array;
  readonly #value: Float64Array;
  #used = 0;

  private constructor(size: number, cells: Float64Array, isIn: Uint8Array) {
    this.size = size;
    this.#cells = cells;
    this.#isIn = isIn;
    this.#factor = new Float64Array(size * size);
    this.#value = new Float64Array(size);
  }

  /** Starts with no column in the regression. `columns` have mean 0 and length 1. */
  static of(columns: readonly Column[]): Gram {
    const size = columns.length;
    const gram = new Gram(size, new Float64Array((size + 1) ** 2), new Uint8Array(size));
    columns.forEach((one, row) =>
      columns.forEach((other, at) => {
        if (at <= row) gram.#set(row, at, product(one, other));
      }),
    );
    return gram;
  }

  /** Number of columns in the regression. */
  get used(): number {
    return this.#used;
  }

  /** Squares of the value that the regression leaves unexplained. */
  get left(): number {
    return this.#at(this.size, this.size);
  }

  copy(): Gram {
    const copied = new Gram(this.size, this.#cells.slice(), this.#isIn.slice());
    copied.#used = this.#used;
    return copied;
  }

  /** Takes over the state of a matrix of the same size. */
  assign(other: Gram): void {
    this.#cells.set(other.#cells);
    this.#isIn.set(other.#isIn);
    this.#used = other.#used;
  }

  has(column: number): boolean {
    return this.#isIn[column] === 1;
  }

  /** Returns the share of a column, outside the regression, that the others do not determine. */
  apart(column: number): number {
    return this.#at(column, column);
  }

  /** Returns the coefficient of a column that is in the regression. */
  coefficient(column: number): number {
    return this.#at(column, this.size);
  }

  /** Sets the value by its products with the columns, and by its sum of squares. */
  setValue(products: Float64Array, squares: number): void {
    const { size } = this;
    const used = [...this.#isIn.keys()].filter((column) => this.has(column));
    let left = squares;
    for (let row = 0; row < size; row += 1) {
      const isIn = this.has(row);
      let cell = isIn ? 0 : (products[row] ?? 0);
      for (const one of used) cell -= this.#at(row, one) * (products[one] ?? 0);
      if (isIn) left -= cell * (products[row] ?? 0);
      this.#set(row, size, cell);
    }
    this.#set(size, size, left);
  }

  /** Adds a column to the regression, unless it depends on those in it. */
  add(column: number): void {
    const pivot = this.#at(column, column);
    if (this.has(column) || pivot < least) return;
    const width = this.size + 1;
    const cells = this.#cells;
    for (let row = 0; row < width; row += 1) {
      const factor = (cells[row * width + column] ?? 0) / pivot;
      if (row === column || factor === 0) continue;
      for (let at = 0; at < width; at += 1)
        if (at !== column)
          cells[row * width + at] =
            (cells[row * width + at] ?? 0) - factor * (cells[column * width + at] ?? 0);
    }
    for (let at = 0; at < width; at += 1)
      if (at !== column) this.#set(column, at, this.#at(column, at) / pivot);
    this.#set(column, column, -1 / pivot);
    this.#isIn[column] = 1;
    this.#used += 1;
  }

  /**
   * Returns the squares that columns outside the regression would explain on top of it, or that
   * columns in it explain on top of the others. Either all columns are in it, or none.
   */
  explained(columns: readonly number[]): Explained {
    // Both are a quadratic form in the inverse of a block, computed by its Cholesky factor.
    const sign = this.has(columns[0] ?? 0) ? -1 : 1;
    let [count, squares] = [0, 0];
    for (let row = 0; row < columns.length; row += 1) {
      const column = columns[row] ?? 0;
      const diagonal = this.#reduce(columns, row, sign);
      const isNew = diagonal >= least * Math.max(1, sign * this.#at(column, column));
      const root = isNew ? Math.sqrt(diagonal) : 0;
      const value = isNew ? (this.#value[row] ?? 0) / root : 0;
      this.#factor[row * columns.length + row] = root;
      this.#value[row] = value;
      squares += value ** 2;
      count += Number(isNew);
    }
    return { squares, columns: count };
  }

  /** Computes a row of the factor left of the diagonal, and its value. Returns the squared diagonal. */
  #reduce(columns: readonly number[], row: number, sign: number): number {
    const size = columns.length;
    const factor = this.#factor;
    const column = columns[row] ?? 0;
    let value = this.#at(column, this.size);
    let diagonal = sign * this.#at(column, column);
    for (let at = 0; at < row; at += 1) {
      const root = factor[at * size + at] ?? 0;
      let cell = sign * this.#at(column, columns[at] ?? 0);
      for (let one = 0; one < at; one += 1)
        cell -= (factor[row * size + one] ?? 0) * (factor[at * size + one] ?? 0);
      const scaled = root === 0 ? 0 : cell / root;
      factor[row * size + at] = scaled;
      value -= scaled * (this.#value[at] ?? 0);
      diagonal -= scaled ** 2;
    }
    this.#value[row] = value;
    return diagonal;
  }

  #at(row: number, column: number): number {
    return this.#cells[row * (this.size + 1) + column] ?? 0;
  }

  #set(row: number, column: number, value: number): void {
    this.#cells[row * (this.size + 1) + column] = value;
    this.#cells[column * (this.size + 1) + row] = value;
  }
}
