import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { formatDuration, formatTokens, formatUsd } from '../../../src/base/text.ts';

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
