import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { smoothed } from '../../../src/protocol/ema.ts';
import { answerSeries, pointsSince } from '../../../src/vscode/metrics/seriesAnswer.ts';

const startedMs = 1_700_000_000_000;

const series = (
  values: readonly number[],
  steps: readonly number[] = values.map((_, index) => index),
) => ({
  values: Float64Array.from(values),
  steps: Float64Array.from(steps),
  timesMs: Float64Array.from(values.map((_, index) => startedMs + index * 500)),
  startedMs,
});

const query = { runIds: ['r'], metric: 'loss', axis: 'step', pixels: 100 } as const;

describe('what the view is told of a series', () => {
  it('counts time from the start of the run', () => {
    const answer = answerSeries(series([3, 2, 1]), { ...query, axis: 'time' });
    assert.deepEqual(answer.x, Float64Array.of(0, 500, 1000));
    assert.deepEqual(answer.extent, { from: 0, to: 1000 });
  });

  it('has times of the clock where that is the axis', () => {
    const { x, extent } = answerSeries(series([3, 2, 1]), { ...query, axis: 'clock' });
    assert.deepEqual(x, Float64Array.of(startedMs, startedMs + 500, startedMs + 1000));
    assert.equal(extent?.from, startedMs);
  });

  it('never has more than four points for a pixel, and keeps a spike of one point', () => {
    const values = Array.from({ length: 100_000 }, (_, index) => Math.sin(index));
    values[54_321] = 1000;
    const answer = answerSeries(series(values), query);
    assert.ok(answer.y.length <= 400, `${answer.y.length} points`);
    assert.equal(Math.max(...answer.y), 1000);
    assert.equal(answer.total, 100_000);
  });

  it('marks what is not finite and does not draw it', () => {
    const answer = answerSeries(series([1, Number.NaN, 2, Number.POSITIVE_INFINITY]), query);
    assert.deepEqual(answer.y, Float64Array.of(1, 2));
    assert.deepEqual(answer.nonFinite, [
      { x: 1, kind: 'NaN' },
      { x: 3, kind: 'Inf' },
    ]);
  });

  it('is empty, not wrong, for a series without points', () => {
    const answer = answerSeries(series([]), query);
    assert.deepEqual([answer.x.length, answer.total, answer.extent], [0, 0, undefined]);
  });

  it('smooths over all points, not over the drawn ones', () => {
    // Nine of ten values are 1 and one is 0: what is drawn are the extremes, the mean is 0.9.
    const values = Array.from({ length: 50_000 }, (_, index) => (index % 10 === 0 ? 0 : 1));
    const { smooth } = answerSeries(series(values), { ...query, smoothing: 0.95 });
    const late = [...(smooth?.y ?? [])].slice(50);
    assert.ok(
      late.length > 0 && late.every((value) => Math.abs(value - 0.9) < 0.02),
      `${late.slice(0, 3).join()}`,
    );
  });

  it('starts a smoothed curve at the first value, and passes over what is not finite', () => {
    const { values } = smoothed(Float64Array.of(4, Number.NaN, 4), 0.9);
    assert.ok(Math.abs((values[0] ?? 0) - 4) < 1e-12);
    assert.ok(Number.isNaN(values[1]));
    assert.ok(Math.abs((values[2] ?? 0) - 4) < 1e-12);
  });
});

describe('the points since an earlier answer', () => {
  it('are copies of the end of the columns', () => {
    const added = pointsSince(series([5, 6, 7], [10, 20, 30]), 1);
    assert.deepEqual(added, {
      steps: Float64Array.of(20, 30),
      times: Float64Array.of(500, 1000),
      startedMs,
      values: Float64Array.of(6, 7),
    });
    assert.equal(added.values.buffer.byteLength, 16);
  });

  it('stand at their position where the series has no steps', () => {
    const without = series([5, 6, 7], [Number.NaN, Number.NaN, Number.NaN]);
    assert.deepEqual(pointsSince(without, 2).steps, Float64Array.of(2));
  });

  it('are none when the first point without a step changes the whole axis', () => {
    assert.equal(pointsSince(series([5, 6, 7], [10, 20, Number.NaN]), 2).values.length, 0);
  });
});
