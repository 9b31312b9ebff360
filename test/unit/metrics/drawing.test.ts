import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { downsampleForPlot, stepAxis } from '../../../src/metrics/plot/downsampleForPlot.ts';
import type { SeriesColumns } from '../../../src/metrics/metric.ts';
import { sparkline } from '../../../src/presentation/sparkline.ts';
import { sampleForModel } from '../../../src/metrics/sampleForModel.ts';
import { seededRandom } from './randomCuts.ts';

const floats = (length: number, value: (index: number) => number): Float64Array =>
  Float64Array.from({ length }, (_, index) => value(index));
const columnsOf = (values: Float64Array): SeriesColumns => ({
  steps: floats(values.length, (index) => index),
  timesMs: floats(values.length, (index) => index * 1000),
  values,
});
const isAscending = (x: Float64Array): boolean =>
  x.every((value, index) => index === 0 || value >= (x[index - 1] ?? 0));

describe('Downsampling for a plot', () => {
  it('keeps a series that fits', () => {
    const { x, y, nonFinite } = downsampleForPlot(
      floats(5, (i) => i),
      floats(5, (i) => i * i),
      { pixels: 100 },
    );
    assert.deepEqual(
      [Array.from(x), Array.from(y), nonFinite],
      [[0, 1, 2, 3, 4], [0, 1, 4, 9, 16], []],
    );
  });

  it('gives at most four points a pixel, in order of x, with the ends and every extreme', () => {
    const random = seededRandom(5);
    for (const pixels of [1, 2, 10, 300]) {
      const count = 20_000;
      const values = floats(count, () => random());
      values[777] = 50;
      values[15_001] = -50;
      const { x, y } = downsampleForPlot(
        floats(count, (i) => i * 2),
        values,
        { pixels },
      );
      assert.ok(x.length <= 4 * pixels, `${x.length} for ${pixels}`);
      assert.ok(isAscending(x));
      assert.deepEqual([x[0], x.at(-1)], [0, 2 * (count - 1)]);
      assert.deepEqual([Math.max(...y), Math.min(...y)], [50, -50]);
      assert.ok(x.every((at, index) => values[at / 2] === y[index]));
    }
  });

  it('marks non-finite values apart, once a pixel and kind', () => {
    const values = floats(10_000, (i) => (i >= 5000 ? NaN : i));
    values[100] = Infinity;
    values[101] = -Infinity;
    const { y, nonFinite } = downsampleForPlot(
      floats(10_000, (i) => i),
      values,
      { pixels: 100 },
    );
    assert.ok(y.every(Number.isFinite));
    assert.equal(y.at(-1), 4999);
    assert.deepEqual(nonFinite.slice(0, 3), [
      { x: 100, kind: 'Inf' },
      { x: 101, kind: '-Inf' },
      { x: 5000, kind: 'NaN' },
    ]);
    // NaN fills the columns 49 to 98 of 99: each has one mark, at the first of its points.
    assert.deepEqual(
      nonFinite.slice(2).map((mark) => `${mark.kind} ${Math.floor(mark.x / 101)}`),
      Array.from({ length: 50 }, (_, index) => `NaN ${49 + index}`),
    );
  });

  it('shows a range with a neighbour on each side', () => {
    const x = floats(1000, (i) => i);
    const shown = downsampleForPlot(x, x, { from: 100, to: 110, pixels: 50 });
    assert.deepEqual(
      Array.from(shown.x),
      Array.from({ length: 13 }, (_, i) => 99 + i),
    );
    assert.deepEqual(
      Array.from(downsampleForPlot(x, x, { from: 100.2, to: 100.8, pixels: 50 }).x),
      [100, 101],
    );
    assert.deepEqual(Array.from(downsampleForPlot(x, x, { from: 2000, pixels: 50 }).x), [999]);
    const wide = downsampleForPlot(
      floats(9000, (i) => i),
      floats(9000, (i) => i % 7),
      { from: 1, to: 8998, pixels: 20 },
    );
    assert.ok(wide.x.length <= 80);
  });

  it('orders by x a counter that starts again', () => {
    const { x, y } = downsampleForPlot(
      Float64Array.of(1, 2, 3, 1, 2),
      Float64Array.of(10, 20, 30, 11, 21),
      {
        pixels: 100,
      },
    );
    assert.deepEqual(
      [Array.from(x), Array.from(y)],
      [
        [1, 1, 2, 2, 3],
        [10, 11, 20, 21, 30],
      ],
    );
  });

  it('takes empty series, one point, one x and no pixel', () => {
    assert.equal(
      downsampleForPlot(new Float64Array(), new Float64Array(), { pixels: 10 }).x.length,
      0,
    );
    assert.deepEqual(
      Array.from(downsampleForPlot(Float64Array.of(3), Float64Array.of(4), { pixels: 0 }).y),
      [4],
    );
    assert.ok(
      downsampleForPlot(
        floats(100, () => 7),
        floats(100, (i) => i),
        { pixels: 10 },
      ).x.length <= 4,
    );
  });

  it('uses positions where a step is missing', () => {
    const columns = columnsOf(Float64Array.of(1, 2, 3));
    assert.deepEqual(
      Array.from(stepAxis({ ...columns, steps: Float64Array.of(5, 10, 15) })),
      [5, 10, 15],
    );
    assert.deepEqual(
      Array.from(stepAxis({ ...columns, steps: Float64Array.of(5, NaN, 15) })),
      [0, 1, 2],
    );
  });
});

describe('Thinning for a tool', () => {
  it('keeps ends, extremes and the first non-finite value, in order, within the limit', () => {
    const random = seededRandom(9);
    for (let maxPoints = 6; maxPoints < 120; maxPoints++) {
      const values = floats(5000, () => random());
      values[1234] = 9;
      values[1235] = -9;
      values[1236] = NaN;
      const thinned = sampleForModel(columnsOf(values), maxPoints);
      assert.ok(
        thinned.values.length <= maxPoints && thinned.values.length >= Math.min(5, maxPoints),
      );
      assert.ok(isAscending(thinned.steps));
      assert.deepEqual([thinned.steps[0], thinned.steps.at(-1)], [0, 4999]);
      for (const step of [1234, 1235, 1236])
        assert.ok(thinned.steps.includes(step), `${step} with ${maxPoints}`);
      assert.ok(
        thinned.steps.every((step, index) => Object.is(values[step], thinned.values[index])),
      );
    }
  });

  const shapes: readonly (readonly [
    what: string,
    values: readonly number[],
    maxPoints: number,
    kept: number[],
  ])[] = [
    ['a fall', [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 8, [0, 5, 6, 11]],
    ['a rise', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 8, [0, 5, 6, 11]],
    ['a plain with a peak and a pit', [3, 3, 3, 9, 3, 3, 3, 1, 3, 3, 3, 3], 7, [0, 3, 7, 11]],
    ['equal extremes, of which the first count', [2, 1, 1, 2, 3, 3, 2, 2, 2, 2], 6, [0, 1, 4, 9]],
    [
      'a NaN that takes the place of the highest',
      [1, 5, 2, NaN, NaN, 3, 4, 9, 8, 7, 6, 0],
      9,
      [0, 3, 7, 11],
    ],
    ['nothing but NaN', [NaN, NaN, NaN, NaN, NaN, NaN, NaN, NaN], 6, [0, 7]],
    ['the fewest that have a shape', [5, 6, 7, 8, 1, 2, 3], 6, [0, 3, 4, 6]],
    ['a limit that is too low for a shape', [5, 6, 7, 8, 1, 2, 3], 5, [0, 3, 4, 6]],
    ['few points', [5, 6, 7], 1, [0, 1, 2]],
  ];
  for (const [what, values, maxPoints, kept] of shapes)
    it(`keeps of ${what} what shows it`, () => {
      const thinned = sampleForModel(columnsOf(Float64Array.from(values)), maxPoints);
      assert.deepEqual([...thinned.steps], kept);
      assert.deepEqual(
        [...thinned.timesMs],
        kept.map((at) => at * 1000),
      );
      assert.deepEqual(
        [...thinned.values],
        kept.map((at) => values[at]),
      );
    });

  it('leaves a short series alone', () => {
    const columns = columnsOf(floats(10, (i) => i));
    assert.equal(sampleForModel(columns, 10), columns);
  });
});

describe('Sparkline', () => {
  it('shows the whole series, the newest points at its end', () => {
    const values = [...Array.from({ length: 30 }, () => 0), ...Array.from({ length: 20 }, () => 1)];
    assert.equal(sparkline(values, 30), '▁'.repeat(18) + '█'.repeat(12));
    for (let length = 1; length < 100; length++) {
      const line = sparkline([...Array.from({ length }, () => 0), 100], 30);
      assert.equal([...line].length, Math.min(30, length + 1));
      assert.equal(line.at(-1), '█');
    }
  });

  it('draws values between lowest and highest', () => {
    assert.equal(sparkline([0, 1, 2, 3, 4, 5, 6, 7], 8), '▁▂▃▄▅▆▇█');
    assert.equal(sparkline([5, 5, 5], 8), '▁▁▁');
    assert.equal(sparkline([-1.7e308, 1.7e308], 8), '▁█');
  });

  it('marks NaN and Inf, and takes nothing', () => {
    assert.equal(sparkline([0, NaN, 1, Infinity], 10), '▁×█×');
    assert.equal(sparkline([NaN], 10), '×');
    assert.equal(sparkline([], 10), '');
    assert.equal(sparkline([1], 0), '');
  });
});
