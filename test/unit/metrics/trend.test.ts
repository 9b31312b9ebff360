import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { trendOf } from '../../../src/metrics/series/trend.ts';
import { seededRandom } from './randomCuts.ts';

const range = (length: number, value: (index: number) => number): number[] =>
  Array.from({ length }, (_, index) => value(index));

describe('Trend of a series', () => {
  it('needs three points', () => {
    assert.equal(trendOf([]), 'insufficient_data');
    assert.equal(trendOf([1, 2]), 'insufficient_data');
    assert.equal(trendOf([1, 2, 3]), 'increasing');
    assert.equal(trendOf([1, 0.5, 0.25]), 'decreasing');
  });

  it('is unstable with a NaN or Inf in the window, and not when it lies before', () => {
    assert.equal(trendOf([1, NaN]), 'unstable');
    assert.equal(trendOf([1, 2, -Infinity]), 'unstable');
    assert.equal(trendOf([NaN, ...range(20, (i) => -i)]), 'decreasing');
    assert.equal(trendOf([NaN, ...range(20, (i) => -i)], 21), 'unstable');
  });

  it('sees a direction through noise, and none where there is only noise', () => {
    const random = seededRandom(11);
    const noise = range(20, () => random() - 0.5);
    assert.equal(trendOf(noise.map((value, index) => 10 - index * 0.2 + value)), 'decreasing');
    assert.equal(trendOf(noise.map((value, index) => 10 + index * 0.2 + value)), 'increasing');
    assert.equal(trendOf(range(20, (i) => 1 + (i % 2 === 0 ? 0.1 : -0.1))), 'plateau');
  });

  it('asks for a clear order, which few points seldom have', () => {
    // Its order is 1.65 times its standard error for seven points, and 1.73 times for eight.
    const jagged = (length: number): number[] =>
      range(length, (i) => 10 + i + (i % 2 === 0 ? 2 : -2));
    assert.equal(trendOf(jagged(7)), 'plateau');
    assert.equal(trendOf(jagged(8)), 'increasing');
    assert.equal(trendOf(jagged(8).map((value) => -value)), 'decreasing');
    // 1.2 times for five points.
    assert.equal(trendOf([1, 3, 2, 4, 3]), 'plateau');
  });

  it('sees a steady fall or rise that slows down', () => {
    const losses = [0.9454, 0.4692, 0.3629, 0.3129, 0.291, 0.2783];
    assert.equal(trendOf(losses), 'decreasing');
    assert.equal(trendOf(losses.map((loss) => 1 - loss)), 'increasing');
    assert.equal(trendOf(range(20, (i) => 1 / (i + 1))), 'decreasing');
    assert.equal(trendOf([...losses, ...range(14, (i) => 0.278 + (i % 2) * 1e-3)]), 'decreasing');
    // It fell, and has risen since.
    assert.equal(trendOf([...losses, 0.3, 0.33, 0.37, 0.42, 0.5, 0.7]), 'plateau');
  });

  it('is a plateau when the value moves by less than a thousandth', () => {
    assert.equal(trendOf(range(20, () => 0.5)), 'plateau');
    assert.equal(trendOf(range(20, () => 0)), 'plateau');
    assert.equal(trendOf(range(20, (i) => 0.5 - i * 1e-5)), 'plateau');
    assert.equal(trendOf(range(20, (i) => 0.5 - i * 1e-4)), 'decreasing');
  });

  it('looks at the last values only, of any size', () => {
    assert.equal(trendOf([...range(500, (i) => -i), ...range(20, (i) => i)]), 'increasing');
    assert.equal(trendOf(range(20, (i) => 5e306 * (i + 1))), 'increasing');
    assert.equal(trendOf(range(20, (i) => 1e-300 * (20 - i))), 'decreasing');
  });
});
