import { svg } from './dom.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Draws a small curve of the values at equal distances, with a gap at each value that is not finite.
 * Returns `undefined` if there are fewer than two finite values.
 */
export function sparkline(
  values: Float64Array,
  label: string,
  { width, height }: Size = { width: 132, height: 28 },
): SVGElement | undefined {
  const finite = values.filter(Number.isFinite);
  if (finite.length < 2) return undefined;
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of finite) [low, high] = [Math.min(low, value), Math.max(high, value)];
  // Halved before subtracting, because the difference of very large numbers could overflow.
  const half = high / 2 - low / 2 || 1;
  const parts: string[][] = [[]];
  values.forEach((value, index) => {
    if (!Number.isFinite(value)) return void parts.push([]);
    const x = 1 + (index / (values.length - 1)) * (width - 2);
    const y = height - 2 - ((value / 2 - low / 2) / half) * (height - 4);
    parts.at(-1)?.push(`${x.toFixed(1)},${y.toFixed(1)}`);
  });
  const lines = parts
    .filter(({ length }) => length > 0)
    .map((points) => svg('polyline', { points: points.join(' ') }));
  const attributes = {
    class: 'sparkline',
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
  };
  return svg('svg', { ...attributes, 'aria-label': label }, ...lines);
}
