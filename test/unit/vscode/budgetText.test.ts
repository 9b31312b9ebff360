import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { budgetOf, budgetText, parseBudget } from '../../../src/vscode/present/budgetText.ts';

describe('budget in words', () => {
  it('reads any of the three limits in any order', () => {
    const budgets: [string, unknown][] = [
      ['$5, 2 h, 40 turns', { usd: 5, minutes: 120, turns: 40 }],
      ['40 turns; 0.5 usd', { turns: 40, usd: 0.5 }],
      ['90 min', { minutes: 90 }],
      ['1.5 hours', { minutes: 90 }],
      ['1 d', { minutes: 1440 }],
      ['1 turn', { turns: 1 }],
      ['5 $', { usd: 5 }],
      ['', {}],
      ['No limit', {}],
    ];
    for (const [text, budget] of budgets) assert.deepEqual(parseBudget(text), { ok: true, budget }, text);
  });

  it('says what is wrong, and never guesses', () => {
    for (const text of ['5', '5 apples', '$5, $6', '0 h', '-1 h', '2.5 turns', '$5 h', 'tomorrow'])
      assert.equal(parseBudget(text).ok, false, text);
  });

  it('reads what it writes', () => {
    for (const budget of [{ usd: 5, minutes: 120, turns: 40 }, { minutes: 95 }, { usd: 0.25 }, {}])
      assert.deepEqual(parseBudget(budgetText(budget)), { ok: true, budget });
  });

  it('takes 0 of the settings for no limit', () => {
    assert.deepEqual(budgetOf({ usd: 5, minutes: 0, turns: 0 }), { usd: 5 });
    assert.equal(budgetText(budgetOf({ usd: 0, minutes: 0, turns: 0 })), 'no limit');
  });
});
