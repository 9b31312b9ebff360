import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { meanCurve } from '../../../src/metrics/plot/meanCurve.ts';

const curve = (x: readonly number[], y: readonly number[]) => ({
  x: Float64Array.from(x),
  y: Float64Array.from(y),
});

describe('the mean of curves', () => {
  it('has the mean and the standard deviation (n − 1) at each step', () => {
    const { x, mean, low, high, count } = meanCurve([
      curve([0, 10], [1, 4]),
      curve([0, 10], [2, 4]),
      curve([0, 10], [3, 10]),
    ]);
    assert.deepEqual([...x], [0, 10]);
    assert.deepEqual([...mean], [2, 6]);
    assert.deepEqual([...low], [1, 6 - Math.sqrt(12)]);
    assert.deepEqual([...high], [3, 6 + Math.sqrt(12)]);
    assert.deepEqual([...count], [3, 3]);
  });

  it('takes the value on the line between two points of a curve that has other steps', () => {
    const { x, mean } = meanCurve([curve([0, 10], [0, 10]), curve([0, 5, 10], [0, 9, 10])]);
    assert.deepEqual([...x], [0, 5, 10]);
    assert.deepEqual([...mean], [0, 7, 10]);
  });

  it('counts a curve neither before its first point nor after its last', () => {
    const { x, mean, count, low, high } = meanCurve([
      curve([0, 10, 20], [1, 1, 1]),
      curve([10], [3]),
    ]);
    assert.deepEqual([...x], [0, 10, 20]);
    assert.deepEqual([...mean], [1, 2, 1]);
    assert.deepEqual([...count], [1, 2, 1]);
    assert.deepEqual([low[0], high[0]], [1, 1]);
  });

  it('counts no value that is not finite, and none on the line to it', () => {
    const { x, mean, count } = meanCurve([
      curve([0, 10, 20, 30], [1, Number.NaN, 1, Number.POSITIVE_INFINITY]),
      curve([0, 5, 10, 20, 30], [3, 3, 3, 3, 3]),
    ]);
    assert.deepEqual([...x], [0, 5, 10, 20, 30]);
    assert.deepEqual([...mean], [2, 3, 3, 2, 3]);
    assert.deepEqual([...count], [2, 1, 1, 2, 1]);
  });

  it('leaves out where no curve has a value', () => {
    const { x, mean } = meanCurve([curve([0, 1], [Number.NaN, 2]), curve([], [])]);
    assert.deepEqual([...x], [1]);
    assert.deepEqual([...mean], [2]);
    assert.equal(meanCurve([]).x.length, 0);
  });
});
