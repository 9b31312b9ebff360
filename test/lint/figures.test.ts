/** Holds the text of the product to the limits that CONTRIBUTING names. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { figuresOf } from './figures.ts';

const maxShare = 0.02;
const maxFunctionCharacters = 687;

describe('The text of the product', function () {
  this.timeout(60_000);
  const figures = figuresOf();

  const share = (places: readonly string[], count: number): number => places.length / count;

  it('has few comments without a clear subject', () => {
    const { vague, count } = figures.comments;
    assert.ok(share(vague, count) < maxShare, `${vague.length} of ${count}:\n${vague.join('\n')}`);
  });

  it('has few lines over 100 columns', () => {
    const { long, count } = figures.lines;
    assert.ok(share(long, count) < maxShare, `${long.length} of ${count}:\n${long.join('\n')}`);
  });

  it('has short functions', () => {
    assert.ok(figures.functionCharacters <= maxFunctionCharacters, `${figures.functionCharacters}`);
  });

  it('has no import up inside a folder, and none outside the door of a front end', () => {
    assert.deepEqual([figures.arrowsUp, figures.sideDoors], [[], []]);
  });
});
