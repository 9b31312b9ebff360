import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { printedValue } from '../../../src/metrics/printedValue.ts';
import { summaryOf } from '../vscode/states.ts';
import { valueText } from '../../../src/experiments/ledger.ts';

describe('a value as its script prints it', () => {
  const of = (count: number, last: number, min: number, max: number) => ({ count, last, min, max });

  it('keeps the zeros at its end', () => {
    assert.equal(printedValue(0.061, of(40, 0.061, 0.0599, 0.2381)), '0.0610');
    assert.equal(printedValue(1, of(9, 1, 0.5, 1.25)), '1.00');
    assert.equal(printedValue(-0.5, of(9, -0.5, -2.125, 3)), '-0.500');
  });

  it('has no zeros that nothing shows', () => {
    const plain: readonly (readonly [value: number, summary: ReturnType<typeof of>])[] = [
      [0.5, of(1, 0.5, 0.5, 0.5)],
      [0.5, of(2, 0.5, 0.5, 0.75)],
      [0.5, of(9, 0.5, 0.123456789, 0.75)],
      [49, of(9, 49, 49, 49)],
      [0.5, of(9, Number.NaN, 0.5, 0.5)],
    ];
    for (const [value, summary] of plain) assert.equal(printedValue(value, summary), String(value));
    assert.equal(printedValue(Number.NaN, of(9, Number.NaN, 0.5, 0.75)), 'NaN');
    assert.equal(printedValue(1e-5, of(9, 1e-5, 1e-5, 0.75)), '1e-5');
  });

  it('stands so in the ledger', () => {
    const metrics = [summaryOf('rmse', 0.0599, 'lower', 0.061)];
    assert.equal(
      valueText(metrics, { metric: 'rmse', direction: 'lower', rule: 'last' }),
      'rmse 0.0610',
    );
  });
});
