import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { compareRuns, judge, type Measured } from '../../../src/metrics/compare.ts';
import { directionOf } from '../../../src/metrics/direction.ts';
import { Series } from '../../../src/metrics/series/series.ts';
import { valueIn } from '../../../src/metrics/series/valueAt.ts';

type Points = readonly (readonly [step: number, value: number])[];

function measured(metrics: Readonly<Record<string, Points>>): Measured {
  const tracks = new Map(
    Object.entries(metrics).map(([name, points]) => {
      const series = new Series();
      for (const [step, value] of points) series.add(step, 0, value);
      return [name, series] as const;
    }),
  );
  return {
    names: () => [...tracks.keys()],
    hasAscendingSteps: (name) => tracks.get(name)?.steps.isAscending ?? false,
    valueAt: (name, place) =>
      Promise.resolve(valueIn((tracks.get(name) ?? new Series()).columns(), place)),
    summary(name) {
      const tally = tracks.get(name)?.tally;
      if (tally === undefined) return undefined;
      const { count, last, lastStep, min, max, mean } = tally;
      return {
        metric: name,
        count,
        last,
        lastStep,
        min,
        max,
        mean,
        best: min,
        direction: directionOf(name),
      };
    },
  };
}

describe('Judging a value', () => {
  it('follows the direction, with a small tolerance', () => {
    assert.equal(judge(1, 0.9, 'lower').verdict, 'better');
    assert.equal(judge(1, 0.9, 'higher').verdict, 'worse');
    assert.equal(judge(1, 0.9, 'none').verdict, 'n/a');
    assert.equal(judge(1, 1.00005, 'higher').verdict, 'same');
    assert.equal(judge(1, 1.0002, 'higher').verdict, 'better');
    assert.equal(judge(0, 0, 'lower').verdict, 'same');
    assert.equal(judge(1e-9, 2e-9, 'lower').verdict, 'worse');
    const { delta, relativeDelta } = judge(-2, -1, 'higher');
    assert.deepEqual({ delta, relativeDelta }, { delta: 1, relativeDelta: 0.5 });
  });

  it('takes what is not finite for worse', () => {
    assert.equal(judge(1, NaN, 'lower').verdict, 'worse');
    assert.equal(judge(NaN, 1, 'lower').verdict, 'better');
    assert.equal(judge(NaN, NaN, 'higher').verdict, 'same');
    assert.equal(judge(1, Infinity, 'lower').verdict, 'worse');
    assert.equal(judge(1, Infinity, 'higher').verdict, 'better');
    assert.equal(judge(1, -Infinity, 'higher').verdict, 'worse');
  });
});

describe('Comparing runs', () => {
  it('is at the end and at the largest step that both reached', async () => {
    const baseline = measured({
      loss: [
        [10, 3],
        [20, 2],
        [40, 1],
      ],
    });
    const experiment = measured({
      loss: [
        [10, 2.5],
        [25, 1.5],
      ],
    });
    const [loss] = await compareRuns(baseline, experiment);
    assert.equal(loss?.atEnd?.verdict, 'worse');
    const {
      by,
      position,
      baseline: before,
      experiment: after,
      verdict,
    } = loss?.atEqualStep ?? assert.fail();
    assert.deepEqual([by, position, before, after, verdict], ['step', 25, 2, 1.5, 'better']);
  });

  it('is by position where steps are missing or go back', async () => {
    for (const steps of [
      [NaN, NaN],
      [2, 1],
    ] as const) {
      const baseline = measured({
        loss: [
          [steps[0], 3],
          [steps[1], 2],
          [3, 1],
        ],
      });
      const [loss] = await compareRuns(
        baseline,
        measured({
          loss: [
            [1, 3],
            [2, 1.5],
          ],
        }),
      );
      assert.deepEqual([loss?.atEqualStep?.by, loss?.atEqualStep?.position], ['index', 1]);
      assert.equal(loss?.atEqualStep?.verdict, 'better');
    }
  });

  it('has no equal step where one began after the other ended', async () => {
    const [loss] = await compareRuns(measured({ loss: [[100, 1]] }), measured({ loss: [[5, 2]] }));
    assert.equal(loss?.atEqualStep, undefined);
    assert.equal(loss?.atEnd?.verdict, 'worse');
  });

  it('names the metrics of both, and judges only what both have', async () => {
    const all = await compareRuns(
      measured({ loss: [[1, 1]], lr: [[1, 1]] }),
      measured({ acc: [[1, 1]], lr: [[1, 2]] }),
    );
    assert.deepEqual(
      all.map(({ metric, atEnd, baseline, experiment }) => [
        metric,
        atEnd?.verdict,
        baseline?.last,
        experiment?.last,
      ]),
      [
        ['loss', undefined, 1, undefined],
        ['lr', 'n/a', 1, 2],
        ['acc', undefined, undefined, 1],
      ],
    );
  });
});
