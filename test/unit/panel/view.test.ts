import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { advanceEma, emaValue, smoothed } from '../../../src/protocol/ema.ts';
import type { PointsAdded, SeriesAnswer } from '../../../src/protocol/metricsPanel.ts';
import { fitY, union } from '../../../webview/metrics/bounds.ts';
import { clampZoom, scaled } from '../../../webview/shared/range.ts';
import {
  describeX,
  formatTick,
  formatValue,
  formatX,
  timeStep,
} from '../../../webview/shared/format.ts';
import { nearestIndex, Series } from '../../../webview/metrics/series.ts';
import { ViewStore } from '../../../webview/shared/viewStore.ts';
import { restoreState, type ViewState } from '../../../webview/metrics/viewState.ts';

const answer = (values: readonly number[], more: Partial<SeriesAnswer> = {}): SeriesAnswer => ({
  x: Float64Array.from(values.map((_, index) => index)),
  y: Float64Array.from(values),
  nonFinite: [],
  total: values.length,
  extent: { from: 0, to: values.length - 1 },
  ...more,
});

const added = (
  steps: readonly number[],
  values: readonly number[],
  total: number,
): PointsAdded => ({
  runId: 'r',
  metric: 'loss',
  steps: Float64Array.from(steps),
  times: Float64Array.from(steps.map((step) => step * 1000)),
  startedMs: 1_000_000,
  values: Float64Array.from(values),
  total,
});

describe('a series in the view', () => {
  it('breaks its line where a value is not finite', () => {
    const series = new Series(answer([1, 2], { nonFinite: [{ x: 0.5, kind: 'NaN' }] }), 'step');
    assert.deepEqual(series.points, [
      { x: 0, y: 1 },
      { x: 0.5, y: Number.NaN },
      { x: 1, y: 2 },
    ]);
  });

  it('goes on with points that follow, on the axis that it has', () => {
    const series = new Series(answer([3, 2]), 'step');
    assert.equal(series.append(added([2, 3], [1, Number.POSITIVE_INFINITY], 4)), true);
    assert.deepEqual(series.points.at(-2), { x: 2, y: 1 });
    assert.deepEqual(series.marks, [{ x: 3, kind: 'Inf' }]);
    assert.deepEqual(series.extent, { from: 0, to: 3 });
    assert.equal(series.total, 4);
  });

  it('goes on by the clock from the start of the run, and never over a metric', () => {
    const series = new Series(answer([1, 2]), 'clock');
    assert.equal(series.append(added([2000], [3], 3)), true);
    assert.deepEqual(series.points.at(-1), { x: 3_000_000, y: 3 });
    assert.equal(new Series(answer([1, 2]), 'metric:tokens').append(added([2], [3], 3)), false);
  });

  it('must be read again when points are missing between, or x goes back', () => {
    assert.equal(new Series(answer([3, 2]), 'step').append(added([9], [1], 10)), false);
    assert.equal(new Series(answer([3, 2]), 'step').append(added([0], [1], 3)), false);
  });

  it('goes on smoothing exactly as the host would have', () => {
    const values = Float64Array.from({ length: 40 }, (_, index) => Math.cos(index));
    const whole = smoothed(values, 0.8);
    const start = smoothed(values.slice(0, 39), 0.8);
    const smooth = { x: Float64Array.of(38), y: start.values.slice(38), ema: start.ema };
    const series = new Series(answer([...values.slice(0, 39)], { smooth }), 'step');
    series.append(added([39], [values[39] ?? 0], 40));
    assert.equal(series.smooth?.at(-1)?.y, whole.values[39]);
    assert.equal(emaValue(advanceEma(start.ema, values[39] ?? 0)), whole.values[39]);
  });

  it('finds the nearest point', () => {
    const points = [{ x: 0 }, { x: 10 }, { x: 11 }];
    assert.deepEqual(
      [-5, 4, 6, 10.6, 99].map((x) => nearestIndex(points, x)),
      [0, 0, 1, 2, 2],
    );
    assert.equal(nearestIndex([], 3), -1);
  });
});

describe('bounds', () => {
  const line = [1, 5, 3].map((y, x) => ({ x, y }));

  it('fit the shown part, with the goal inside', () => {
    const y = fitY({ lines: [line], x: { from: 1, to: 2 }, target: 1, isLog: false });
    assert.ok(y.from < 1 && y.from > 0.5 && y.to > 5 && y.to < 5.5, JSON.stringify(y));
  });

  it('stay finite for one value, for none, and for a log axis without positive values', () => {
    for (const values of [[], [0], [7], [-3, 0], [Number.NaN]]) {
      for (const isLog of [false, true]) {
        const lines = [values.map((y, x) => ({ x, y }))];
        const { from, to } = fitY({ lines, x: { from: 0, to: 9 }, target: undefined, isLog });
        assert.ok(
          Number.isFinite(from) && to > from && (!isLog || from > 0),
          `${values.join()} ${from} ${to}`,
        );
      }
    }
  });

  it('keep a zoom within the data and end it where nothing is left out', () => {
    const full = { from: 0, to: 100 };
    assert.equal(clampZoom({ from: -20, to: 130 }, full), undefined);
    assert.deepEqual(clampZoom({ from: 95, to: 105 }, full), { from: 90, to: 100 });
    const tiny = clampZoom(scaled({ from: 50, to: 50.00000001 }, 50, 0.1), full);
    assert.ok(tiny !== undefined && tiny.to > tiny.from);
  });

  it('of several series hold them all', () => {
    assert.deepEqual(union([{ from: 2, to: 5 }, undefined, { from: 0, to: 3 }]), {
      from: 0,
      to: 5,
    });
    assert.deepEqual(union([{ from: 4, to: 4 }]), { from: 3.5, to: 4.5 });
    assert.equal(union([]), undefined);
  });
});

describe('numbers as text', () => {
  it('have sensible digits', () => {
    assert.deepEqual(
      [0.83124, 12.345, 41_234.5, 1.2e-5, Number.NaN, Number.NEGATIVE_INFINITY, 3].map(formatValue),
      ['0.83124', '12.345', '41234.5', '1.2e-5', 'NaN', '-Inf', '3'],
    );
  });

  it('label an axis evenly', () => {
    assert.deepEqual(
      [0, 0.0005, 0.001].map((tick) => formatTick(tick, 0.0005)),
      ['0', '5e-4', '1e-3'],
    );
    assert.deepEqual(
      [42_000, 42_500].map((tick) => formatTick(tick, 500)),
      ['42k', '42.5k'],
    );
    assert.deepEqual(
      [1, 1.5].map((tick) => formatTick(tick, 0.5)),
      ['1.0', '1.5'],
    );
    assert.deepEqual(
      [200_000, 1_500_000].map((x) => formatX(x, 'step')),
      ['200k', '1.5M'],
    );
  });

  it('label times as clocks count them', () => {
    assert.equal(timeStep(2_000_000, 7), 300_000);
    assert.equal(timeStep(36_000_000, 7), 7_200_000);
    assert.equal(timeStep(500, 7), undefined);
  });

  it('label a logarithmic axis', () => {
    assert.deepEqual(
      [1e-5, 0.5, 41_931.964].map((tick) => formatTick(tick, 0)),
      ['1e-5', '0.5', '41.9k'],
    );
  });

  it('say where a point is', () => {
    assert.equal(describeX(12_400, 'step'), 'step 12,400');
    assert.equal(describeX(4_800_000, 'time'), '1 h 20 min');
    assert.equal(describeX(12_400, 'metric:tokens'), 'tokens 12,400');
    const noon = new Date(2026, 2, 3, 12, 5).getTime();
    assert.equal(describeX(noon, 'clock'), '3 Mar, 12:05:00');
    assert.deepEqual(
      [noon, noon + 30_000, new Date(2026, 2, 3).getTime()].map((x) => formatX(x, 'clock')),
      ['12:05', '12:05:30', '3 Mar'],
    );
  });
});

describe('the state of the view', () => {
  it('survives being saved', () => {
    let saved: unknown;
    const store = {
      getState: () => saved,
      setState: (state: ViewState) => void (saved = structuredClone(state)),
    };
    const first = new ViewStore(store, restoreState(store.getState()), () => undefined);
    first.update({ hidden: ['r-2'], smoothing: 0.6, isLog: true, axis: 'time', filter: 'lr' });
    first.zoomTo({ from: 10, to: 20 });
    assert.deepEqual(
      new ViewStore(store, restoreState(store.getState()), () => undefined).state,
      first.state,
    );
    first.zoomTo(undefined);
    assert.deepEqual(first.state.zoom, {});
    first.update({ axis: 'metric:tokens' });
    first.zoomTo({ from: 1, to: 2 }, 'metric:tokens');
    assert.deepEqual(restoreState(saved), first.state);
  });

  it('is sound whatever was saved', () => {
    const sound = restoreState(undefined);
    for (const junk of [
      null,
      7,
      'x',
      [],
      { hidden: 'r', zoom: { step: { from: 5, to: 1 } }, smoothing: -1, axis: 4 },
      { zoom: { depth: { from: 1, to: 5 } }, axis: 'depth' },
    ])
      assert.deepEqual(restoreState(junk), sound);
    assert.equal(restoreState({ smoothing: 7 }).smoothing, 0.99);
  });
});
