import assert from 'node:assert/strict';
import { compare, type Verdict } from '../../bench/comparison.ts';
import type { Figure } from '../../bench/figure.ts';

describe('old code against new', () => {
  const ms = { unit: 'ms' } as const;
  const steady = [100, 101, 102];
  const cases: readonly [
    string,
    Pick<Figure, 'unit' | 'aim'>,
    readonly number[],
    readonly number[],
    Verdict,
  ][] = [
    ['the same values', ms, steady, steady, 'same'],
    ['beyond the spread, and less than a tenth', ms, steady, [108, 109, 110], 'same'],
    [
      'more than a tenth, and within the spread of the old',
      ms,
      [100, 101, 130],
      [119, 120, 121],
      'same',
    ],
    ['more than a tenth, and within the spread of the new', ms, steady, [110, 120, 150], 'same'],
    ['beyond both', ms, steady, [119, 120, 121], 'worse'],
    ['beyond both, downwards', ms, steady, [79, 80, 81], 'better'],
    ['more is better of a speed', { unit: 'MB/s' }, steady, [79, 80, 81], 'worse'],
    [
      'the aim says what is better',
      { unit: '×', aim: { atLeast: 0.8 } },
      steady,
      [79, 80, 81],
      'worse',
    ],
    [
      'the aim says it of a ratio to be small',
      { unit: '×', aim: { atMost: 1.2 } },
      steady,
      [79, 80, 81],
      'better',
    ],
    ['more is neither', { unit: 'count' }, steady, [79, 80, 81], 'moved'],
    [
      'away from what must be, upwards',
      { unit: 'count', aim: { exactly: 0 } },
      [0, 0, 0],
      [1, 1, 1],
      'worse',
    ],
    [
      'away from what must be, downwards',
      { unit: 'count', aim: { exactly: 100 } },
      [100],
      [80],
      'worse',
    ],
    [
      'back to what must be',
      { unit: 'count', aim: { exactly: 0 } },
      [3, 3, 3],
      [0, 0, 0],
      'better',
    ],
  ];
  for (const [what, figure, before, after, verdict] of cases)
    it(`${what}: ${verdict}`, () => assert.equal(compare(figure, before, after).verdict, verdict));

  it('tells the medians, and the spread of the one that varies more', () => {
    const { oldMedian, newMedian, spread } = compare(ms, [3, 1, 2], [30, 10, 21]);
    assert.deepEqual({ oldMedian, newMedian, spread }, { oldMedian: 2, newMedian: 21, spread: 20 });
  });
});
