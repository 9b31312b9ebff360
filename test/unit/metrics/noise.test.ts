import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { noiseOf } from '../../../src/metrics/noise.ts';

describe('the noise of a difference', () => {
  const base = { mean: 1, spread: 0.1, n: 3 };

  it('is unknown if neither side has repeats', () =>
    assert.equal(noiseOf({ mean: 1, n: 1 }, { mean: 0.2, n: 1 }), 'unknown'));

  it('is that of the repeats of the other side for a single run', () => {
    // 4.303 × 0.1 × √(1 + 1/3) = 0.497
    for (const [mean, expected] of [
      [0.51, 'within'],
      [0.5, 'beyond'],
      [1.5, 'beyond'],
    ] as const) {
      assert.equal(noiseOf({ mean, n: 1 }, base), expected);
      assert.equal(noiseOf(base, { mean, n: 1 }), expected);
    }
  });

  it('is that of both sides if both have repeats', () => {
    // 2.776 × 0.1 × √(2/3) = 0.2267
    assert.equal(noiseOf(base, { ...base, mean: 1.22 }), 'within');
    assert.equal(noiseOf(base, { ...base, mean: 1.23 }), 'beyond');
  });

  it('is none among equal values', () => {
    const exact = { mean: 1, spread: 0, n: 2 };
    assert.equal(noiseOf(exact, { ...exact, mean: 1.001 }), 'beyond');
    assert.equal(noiseOf(exact, exact), 'within');
    assert.equal(noiseOf(exact, { mean: 0.999, n: 1 }), 'beyond');
  });
});
