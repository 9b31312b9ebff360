import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { shortResult } from '../../../src/presentation/experiments/experimentText.ts';

const cases: readonly (readonly [mean: number, spread: number | undefined, text: string])[] = [
  [0.028771, 0.0090642, '0.0288 ± 0.0091'],
  [1.50612, 0.01971, '1.506 ± 0.020'],
  [2.2, 0.1, '2.20 ± 0.10'],
  [43.9332, 1.25, '43.9 ± 1.3'],
  [1234.5, 120, '1235 ± 120'],
  [0.5, 0.0999, '0.50 ± 0.10'],
  [0.83, undefined, '0.83'],
  [0.83, 0, '0.83 ± 0'],
  [0.0000012, 0.00000003, '1.2e-6 ± 3e-8'],
];

describe('a result in a narrow place', () => {
  for (const [mean, spread, text] of cases)
    it(`is ${text}`, () => {
      const more = spread === undefined ? {} : { spread };
      const result = { metric: 'loss', mean, best: mean, n: 3, rule: 'last', runs: [], ...more };
      assert.equal(shortResult({ ...result, rule: 'last' }), text);
    });
});
