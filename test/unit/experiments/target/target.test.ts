import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { readTarget } from '../../../../src/experiments/target/readTarget.ts';
import {
  isSameBound,
  meetsCondition,
  objectivesOf,
  type Comparator,
  type Condition,
} from '../../../../src/experiments/target/target.ts';

function conditionOf(goal: string): Condition {
  const [condition] = readTarget(goal)?.conditions ?? [];
  assert.ok(condition);
  return condition;
}

describe('a condition of a target', () => {
  it('compares a percentage with a share', () => {
    const condition = conditionOf('accuracy above 95 %');
    assert.deepEqual(
      [0.96, 96, 0.94].map((measured) => meetsCondition(measured, condition)),
      [true, true, false],
    );
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
      assert.equal(meetsCondition(measured, conditionOf(goal)), isMet);
    });

  const edges: [comparator: Comparator, below: boolean, equal: boolean, above: boolean][] = [
    ['<', true, false, false],
    ['<=', true, true, false],
    ['>', false, false, true],
    ['>=', false, true, true],
  ];
  for (const [comparator, ...isMet] of edges)
    it(`is met at the edge of ${comparator} as it says`, () => {
      const condition = { metric: 'loss', comparator, value: 0.5 };
      const met = [0.4999, 0.5, 0.5001].map((measured) => meetsCondition(measured, condition));
      assert.deepEqual(met, isMet);
    });

  it('says which direction of its metric is better', () => {
    const target = readTarget('val_loss < 0.3, epoch <= 6 and val_acc >= 0.9');
    assert.ok(target);
    assert.deepEqual(
      objectivesOf(target).map(({ metric, direction }) => `${metric} ${direction}`),
      ['val_loss lower', 'val_loss lower', 'epoch lower', 'val_acc higher'],
    );
  });

  it('is never met by NaN', () => {
    const condition = conditionOf('loss < 1');
    assert.equal(meetsCondition(Number.NaN, condition), false);
    assert.equal(meetsCondition(Number.NEGATIVE_INFINITY, condition), false);
  });

  const bounds: [required: string, stated: string, isSame: boolean][] = [
    ['val_loss < 0.02', 'validation_loss < 0.02', true],
    ['val_loss < 0.02', 'val_loss < 0.07', false],
    ['val_loss < 0.02', 'val_loss <= 0.02', false],
    ['acc > 95 %', 'acc > 0.95', true],
    ['val_loss < 0.02, mean over seeds 0-2', 'val_loss < 0.02', false],
    ['val_loss < 0.02, mean over seeds 0-2', 'val_loss < 0.02, mean over seeds 0, 1', false],
    ['val_loss < 0.02, mean over 3 seeds', 'val_loss < 0.02, mean over seeds 4, 5, 6', true],
    ['val_loss < 0.02, mean over seeds 0-2', 'val_loss < 0.02 on each of seeds 0-2', true],
    ['halve the loss', 'loss <= 0.5', false],
  ];
  for (const [required, stated, isSame] of bounds)
    it(`${isSame ? 'may' : 'may not'} be stated as ${stated} where the goal says ${required}`, () => {
      assert.equal(isSameBound(conditionOf(required), conditionOf(stated)), isSame);
    });
});
