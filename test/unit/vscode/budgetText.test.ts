import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { budgetOf } from '../../../src/vscode/ui/limits.ts';

const none = { usd: 0, tokens: 0, minutes: 0, turns: 0 };

describe('limits of the settings', () => {
  it('take 0 for no limit', () => {
    assert.deepEqual(budgetOf({ ...none, usd: 5 }, none), { usd: 5 });
    assert.deepEqual(budgetOf(none, none), {});
  });

  it('are whole turns and tokens, of the goal and its experiments', () => {
    assert.deepEqual(
      budgetOf({ ...none, turns: 1.5, tokens: 10.2 }, { ...none, usd: 0.5, turns: 2.5 }),
      {
        turns: 2,
        tokens: 11,
        experiment: { usd: 0.5, turns: 3 },
      },
    );
  });
});
