const blocks = '▁▂▃▄▅▆▇█';
const gap = '×';

/**
 * Draws the whole series as at most `width` characters, the newest point last. Each character shows
 * the mean of its points, or `×` if any of them is NaN or infinite. If the series has fewer than
 * `width` points, each point has one character.
 */
export function sparkline(values: ArrayLike<number>, width: number): string {
  const cells = cellMeans(values, width);
  const finite = cells.filter(Number.isFinite);
  const min = Math.min(...finite);
  // Halved before subtracting, because the difference of very large numbers could overflow.
  const range = Math.max(...finite) / 2 - min / 2;
  return cells.map((cell) => glyph(range > 0 ? (cell / 2 - min / 2) / range : cell * 0)).join('');
}

/**
 * Divides the values into at most `width` cells, and returns the mean of each: NaN or infinite if any
 * of its values is.
 */
export function cellMeans(values: ArrayLike<number>, width: number): number[] {
  const count = Math.min(values.length, Math.max(0, Math.floor(width)));
  return Array.from({ length: count }, (_, cell) =>
    meanBetween(
      values,
      Math.floor((cell * values.length) / count),
      Math.floor(((cell + 1) * values.length) / count),
    ),
  );
}

const glyph = (share: number): string =>
  Number.isFinite(share)
    ? blocks.charAt(Math.min(blocks.length - 1, Math.floor(share * blocks.length)))
    : gap;

function meanBetween(values: ArrayLike<number>, from: number, to: number): number {
  let mean = 0;
  for (let index = from; index < to; index++) mean += (values[index] ?? NaN) / (to - from);
  return mean;
}
