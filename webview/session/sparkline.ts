import { svg } from '../shared/dom.ts';

const [width, height] = [132, 28];

/**
 * Draws a small curve of the finite values. Returns `undefined` if there are fewer than two finite
 * values.
 */
export function sparkline(values: Float64Array, label: string): SVGElement | undefined {
  const finite = values.filter(Number.isFinite);
  if (finite.length < 2) return undefined;
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of finite) [low, high] = [Math.min(low, value), Math.max(high, value)];
  const size = high - low || 1;
  const points = [...finite].map((value, index) => {
    const x = 1 + (index / (finite.length - 1)) * (width - 2);
    const y = height - 2 - ((value - low) / size) * (height - 4);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const line = svg('polyline', { points: points.join(' ') });
  const attributes = {
    class: 'sparkline',
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
  };
  return svg('svg', { ...attributes, 'aria-label': label }, line);
}
