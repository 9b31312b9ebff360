import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { inventedConditions } from '../../../../src/experiments/target/statedNumbers.ts';

const target = (value: number) => ({
  conditions: [{ metric: 'parameters', comparator: '<=' as const, value }],
  objective: { metric: 'parameters', direction: 'lower' as const },
  rule: 'last' as const,
});

describe('a number that the agent states', () => {
  for (const [goal, value, isInGoal] of [
    ['höchstens 1.500 Parameter', 1500, true],
    ['höchstens 1.500.000 Parameter', 1_500_000, true],
    ['loss unter 1.500', 1.5, true],
    ['loss unter 1.50', 150, false],
    ['at most 1,500 parameters', 1500, true],
    ['at most 1,500 parameters', 1600, false],
  ] as const)
    it(`${value} ${isInGoal ? 'is' : 'is not'} in: ${goal}`, () =>
      assert.equal(inventedConditions(goal, target(value)).length === 0, isInGoal));
});
