/** Algebra on columns of equal length. */

export type Column = Float64Array;

export function product(a: Column, b: Column): number {
  let sum = 0;
  for (let row = 0; row < a.length; row += 1) sum += (a[row] ?? 0) * (b[row] ?? 0);
  return sum;
}

export const meanOf = (column: Column): number =>
  column.length === 0 ? 0 : column.reduce((sum, value) => sum + value, 0) / column.length;

/** Returns the column less its mean. */
export function centred(column: Column): Column {
  const mean = meanOf(column);
  return column.map((value) => value - mean);
}

/** Adds a multiple of another column to the column, in place. */
export function addTo(column: Column, factor: number, other: Column): void {
  for (let row = 0; row < column.length; row += 1)
    column[row] = (column[row] ?? 0) + factor * (other[row] ?? 0);
}

/** Returns the column with mean 0 and length 1; of a constant column, zeros. */
export function scaled(column: Column): Column {
  const rest = centred(column);
  const length = Math.sqrt(product(rest, rest));
  return length <= 1e-12 * Math.sqrt(product(column, column))
    ? rest.fill(0)
    : rest.map((value) => value / length);
}

/** Subtracts from the column, in place, its part in the space of an orthonormal basis. */
export function subtractPart(column: Column, basis: readonly Column[]): void {
  for (const one of basis) addTo(column, -product(column, one), one);
}

/** Share of a column's length below which what is left of it counts as a rounding error. */
const least = 1e-6;

/**
 * Returns an orthonormal basis of what the columns add to the space of an orthonormal basis. Columns
 * that add nothing are left out.
 */
export function orthonormal(columns: readonly Column[], to: readonly Column[] = []): Column[] {
  const found: Column[] = [];
  for (const column of columns) {
    const rest = centred(column);
    const before = Math.sqrt(product(rest, rest));
    for (const basis of [to, found]) subtractPart(rest, basis);
    let length = Math.sqrt(product(rest, rest));
    if (length < before / 2) {
      // Once more, because a pass leaves rounding errors of nearly parallel columns.
      for (const basis of [to, found]) subtractPart(rest, basis);
      length = Math.sqrt(product(rest, rest));
    }
    if (before > 0 && length > least * before) found.push(rest.map((value) => value / length));
  }
  return found;
}

/** Returns the squared length of the column's part in the space of an orthonormal basis. */
export const squaresIn = (column: Column, basis: readonly Column[]): number =>
  basis.reduce((sum, one) => sum + product(column, one) ** 2, 0);
