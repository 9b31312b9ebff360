import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { placedAt } from '../../../src/vscode/metrics/counterAxis.ts';
import type { PanelSeries } from '../../../src/vscode/metrics/panelSource.ts';

/** Points of step, value, and time, which is a second for each step if it is omitted. */
const series = (...points: readonly (readonly [number, number, number?])[]): PanelSeries => ({
  startedMs: 0,
  steps: Float64Array.from(points, ([step]) => step),
  values: Float64Array.from(points, ([, value]) => value),
  timesMs: Float64Array.from(points, ([step, , timeMs = step * 1000]) => timeMs),
});

describe('a series over a counter', () => {
  const tokens = series([0, 0], [10, 100], [20, 300]);

  it('has the counter of the same step, and between two steps the value between', () => {
    const placed = placedAt(series([0, 5], [5, 4], [15, 3], [20, 2]), tokens, 'tokens');
    assert.deepEqual([...placed.steps], [0, 50, 200, 300]);
    assert.deepEqual([...placed.values], [5, 4, 3, 2]);
  });

  it('leaves out points where the counter is not known', () => {
    const placed = placedAt(series([-5, 9], [10, 4], [25, 3]), tokens, 'tokens');
    assert.deepEqual([...placed.steps], [100]);
    assert.deepEqual([...placed.values], [4]);
  });

  it('goes by the time of the line where a step is missing', () => {
    const byTime = series([NaN, 0, 1], [NaN, 100, 2], [NaN, 100, 3]);
    const placed = placedAt(series([0, 5, 2], [5, 4, 3]), byTime, 'tokens');
    assert.deepEqual([...placed.steps], [100, 100]);
  });

  it('keeps gaps, and several points at one value of the counter', () => {
    const epochs = series([0, 0], [10, 0], [20, 1]);
    const placed = placedAt(series([0, 5], [10, NaN], [20, 3]), epochs, 'epoch');
    assert.deepEqual([...placed.steps], [0, 0, 1]);
    assert.deepEqual([...placed.values], [5, NaN, 3]);
  });

  it('is refused over a metric that decreases or is not finite', () => {
    for (const bad of [
      series([0, 1], [1, 0]),
      series([0, 1], [1, NaN]),
      series([0, 1], [9, 2], [5, 3]),
    ])
      assert.throws(() => placedAt(series([0, 1]), bad, 'reward'), /reward decreases in a run/);
  });
});
