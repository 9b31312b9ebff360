import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Series, Tally } from '../../../src/metrics/series/series.ts';

describe('A series', () => {
  it('keeps every point in order in at most 64 bytes each', () => {
    const series = new Series();
    for (let index = 0; index < 100_000; index++) series.add(index, index * 2, index * 3);
    const { steps, timesMs, values } = series.columns();
    assert.ok(
      values.every(
        (value, index) =>
          value === index * 3 && steps[index] === index && timesMs[index] === index * 2,
      ),
    );
    const bytes = [steps, timesMs, values].reduce(
      (sum, column) => sum + column.buffer.byteLength,
      0,
    );
    assert.ok(bytes / 100_000 <= 64, `${bytes / 100_000} bytes a point`);
    assert.deepEqual(Array.from(series.recent(99_998)?.values ?? []), [299_994, 299_997]);
  });
});

describe('A tally', () => {
  const tallyOf = (values: readonly number[]): Tally => {
    const tally = new Tally();
    values.forEach((value, index) => tally.add(index + 10, value));
    return tally;
  };

  it('is over finite values and remembers the first that is none', () => {
    const { count, last, lastStep, min, max, mean, firstNonFinite } = tallyOf([
      2,
      NaN,
      4,
      Infinity,
    ]);
    assert.deepEqual(
      { count, last, lastStep, min, max, mean, firstNonFinite },
      {
        count: 4,
        last: Infinity,
        lastStep: 13,
        min: 2,
        max: 4,
        mean: 3,
        firstNonFinite: { index: 1, step: 11, value: NaN },
      },
    );
  });

  it('is NaN without finite values', () => {
    const { count, min, max, mean } = tallyOf([NaN, -Infinity]);
    assert.deepEqual({ count, min, max, mean }, { count: 2, min: NaN, max: NaN, mean: NaN });
  });

  it('has an exact mean of many and of huge values', () => {
    assert.equal(tallyOf([1.7e308, 1.7e308]).mean, 1.7e308);
    const many = tallyOf(Array.from({ length: 100_000 }, () => 0.1));
    assert.ok(Math.abs(many.mean - 0.1) < 1e-12);
  });
});
