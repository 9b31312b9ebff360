import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { meetsTarget, parseGoalTarget, type GoalTarget } from '../../../src/experiments/target.ts';

const targets: [string, ReturnType<typeof parseGoalTarget>][] = [
  ['train a 125M GPT on TinyStories to loss < 1.0', { metric: 'loss', comparator: '<', value: 1 }],
  [
    'bring val_loss below 0.35 on the demo task',
    { metric: 'val_loss', comparator: '<', value: 0.35 },
  ],
  ['val/acc >= .9', { metric: 'val/acc', comparator: '>=', value: 0.9 }],
  ['get accuracy above 95 %', { metric: 'accuracy', comparator: '>', value: 95, isPercent: true }],
  ['reach an accuracy of at least 0.9', { metric: 'accuracy', comparator: '>=', value: 0.9 }],
  ['perplexity at most 1.2e1', { metric: 'perplexity', comparator: '<=', value: 12 }],
  ['reduce loss to under 2', { metric: 'loss', comparator: '<', value: 2 }],
  ['finish in under 3 hours with loss < 1', { metric: 'loss', comparator: '<', value: 1 }],
  [
    'use a model under 24 GB and bring val_loss below 2',
    { metric: 'val_loss', comparator: '<', value: 2 },
  ],
  ['keep my_score above 7', { metric: 'my_score', comparator: '>', value: 7 }],
  ['quux > 3', { metric: 'quux', comparator: '>', value: 3 }],
  ['train a model under 24 GB', undefined],
  ['fit it on a card with memory < 24 GB', undefined],
  ['a network with fewer layers, at most 12', undefined],
  ['keep the budget below 50', undefined],
  ['beat the people over 40 tasks', undefined],
  ['make it better', undefined],
  ['finish in under 3 hours', undefined],
  ['train for more than 5 epochs', undefined],
];

describe('goal target', () => {
  for (const [goal, target] of targets)
    it(`reads ${goal}`, () => assert.deepEqual(parseGoalTarget(goal), target));

  it('compares a percentage with a share', () => {
    const target = parseGoalTarget('accuracy above 95 %');
    assert.ok(target);
    assert.equal(meetsTarget(0.96, target), true);
    assert.equal(meetsTarget(96, target), true);
    assert.equal(meetsTarget(0.94, target), false);
  });

  const shares: [goal: string, measured: number, isMet: boolean][] = [
    ['accuracy above 95 %', 50, false],
    ['accuracy above 95 %', 1.2, false],
    ['accuracy above 95 %', 1, true],
    ['accuracy at least 100 %', 1, true],
    ['error below 5 %', 4.2, true],
    ['error below 5 %', 0.042, true],
    ['error below 5 %', 0.42, false],
    ['error below 5 %', -1, true],
    ['reward above -50 %', -0.4, true],
    ['reward above -50 %', -60, false],
    ['accuracy above 0.95', 0.96, true],
    ['accuracy above 95', 0.96, false],
  ];
  for (const [goal, measured, isMet] of shares)
    it(`is ${isMet ? '' : 'not '}met with ${measured} where ${goal}`, () => {
      const target = parseGoalTarget(goal);
      assert.ok(target);
      assert.equal(meetsTarget(measured, target), isMet);
    });

  const edges: [
    comparator: GoalTarget['comparator'],
    below: boolean,
    equal: boolean,
    above: boolean,
  ][] = [
    ['<', true, false, false],
    ['<=', true, true, false],
    ['>', false, false, true],
    ['>=', false, true, true],
  ];
  for (const [comparator, ...isMet] of edges)
    it(`is met at the edge of ${comparator} as it says`, () => {
      const target = { metric: 'loss', comparator, value: 0.5 };
      const met = [0.4999, 0.5, 0.5001].map((measured) => meetsTarget(measured, target));
      assert.deepEqual(met, isMet);
    });

  it('is never met by NaN', () => {
    const target = parseGoalTarget('loss < 1');
    assert.ok(target);
    assert.equal(meetsTarget(Number.NaN, target), false);
    assert.equal(meetsTarget(Number.NEGATIVE_INFINITY, target), false);
  });
});
