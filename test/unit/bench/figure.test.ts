import assert from 'node:assert/strict';
import { figureAt, isMet, isWrong, type Aim, type Figure } from '../../bench/figure.ts';
import { figureLine } from '../../bench/table.ts';

const figure = (value: number, aim?: Aim): Figure => ({
  name: 'runs lost',
  value,
  unit: 'count',
  ...(aim && { aim }),
});

describe('aims of benchmarks', () => {
  const cases: readonly [
    string,
    Figure,
    { readonly met: boolean | undefined; readonly wrong: boolean },
  ][] = [
    ['no aim', figure(7), { met: undefined, wrong: false }],
    ['a bound that is just met', figure(10, { atMost: 10 }), { met: true, wrong: false }],
    ['a bound that is missed', figure(11, { atMost: 10 }), { met: false, wrong: false }],
    ['a lower bound that is just met', figure(10, { atLeast: 10 }), { met: true, wrong: false }],
    ['a lower bound that is missed', figure(9, { atLeast: 10 }), { met: false, wrong: false }],
    ['exactly what must be', figure(0, { exactly: 0 }), { met: true, wrong: false }],
    ['one more than must be', figure(1, { exactly: 0 }), { met: false, wrong: true }],
    ['one less than must be', figure(-1, { exactly: 0 }), { met: false, wrong: true }],
    [
      'a bound of correctness, met',
      figure(90, { atLeast: 90, kind: 'correctness' }),
      { met: true, wrong: false },
    ],
    [
      'a lower one, missed',
      figure(89, { atLeast: 90, kind: 'correctness' }),
      { met: false, wrong: true },
    ],
    [
      'an upper one, missed',
      figure(5, { atMost: 4, kind: 'correctness' }),
      { met: false, wrong: true },
    ],
    ['no number, without an aim', figure(Number.NaN), { met: undefined, wrong: true }],
    ['no number, with a bound', figure(Number.NaN, { atMost: 10 }), { met: false, wrong: true }],
  ];
  for (const [what, one, { met, wrong }] of cases)
    it(what, () => {
      assert.equal(isMet(one), met);
      assert.equal(isWrong(one), wrong);
    });

  it('keep in a tiny size only what must be right', () => {
    const bound = figure(11, { atMost: 10 });
    assert.deepEqual(figureAt('tiny', bound), figure(11));
    assert.deepEqual(figureAt('full', bound), bound);
    for (const aim of [{ exactly: 0 }, { atMost: 4, kind: 'correctness' }] as const)
      assert.deepEqual(figureAt('tiny', figure(5, aim)), figure(5, aim));
  });

  it('are told apart in the table', () => {
    assert.match(figureLine(figure(11, { atMost: 10 })), /aim ≤ 10 count {2}MISSED$/);
    assert.match(figureLine(figure(10, { atMost: 10 })), /aim ≤ 10 count {2}met$/);
    assert.match(figureLine(figure(1, { exactly: 0 })), /aim = 0 count {2}WRONG$/);
    assert.match(
      figureLine(figure(3, { atLeast: 4, kind: 'correctness' })),
      /aim ≥ 4 count {2}WRONG$/,
    );
    assert.match(figureLine(figure(Number.NaN)), /NaN count {2}WRONG$/);
    assert.match(figureLine(figure(7)), /7 count$/);
  });
});
