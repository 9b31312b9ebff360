import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  formatDuration,
  formatFixed,
  formatTokens,
  formatUsd,
  formatValue,
} from '../../../src/base/text.ts';

describe('amounts', () => {
  it('of tokens have three digits', () => {
    assert.deepEqual([0, 812, 999, 8192, 45_200, 200_000, 1_050_000].map(formatTokens), [
      ...['0', '812', '999', '8.19k', '45.2k', '200k', '1.05M'],
    ]);
    assert.deepEqual([999.6, 999_499, 999_500].map(formatTokens), ['1k', '999k', '1M']);
  });

  it('of dollars have cents, and small ones two digits', () => {
    assert.deepEqual([0, 1.2, 15, 0.5, 0.075, 0.0042].map(formatUsd), [
      ...['$0.00', '$1.20', '$15.00', '$0.50', '$0.075', '$0.0042'],
    ]);
  });

  it('of time have two units', () => {
    assert.deepEqual([850, 12_000, 125_000, 120_000, 11_400_000].map(formatDuration), [
      ...['850 ms', '12 s', '2 min 5 s', '2 min', '3 h 10 min'],
    ]);
  });
});

describe('a number with few digits', () => {
  it('is rounded half away from zero on its decimal text', () => {
    assert.deepEqual(
      [1.72085, 1.70785, -1.72085, (1.72 + 1.7217) / 2, 0, 0.00004].map((one) =>
        formatFixed(one, 4),
      ),
      ['1.7209', '1.7079', '-1.7209', '1.7209', '0.0000', '0.0000'],
    );
    assert.deepEqual(
      [1.000005, 0.1234565, 9.9999995, 1.5e-9].map((one) => formatValue(one)),
      ['1.00001', '0.123457', '10', '1.5e-9'],
    );
  });
});
