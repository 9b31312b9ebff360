import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  amountText,
  budgetText,
  leftText,
  usedText,
} from '../../../src/agent/journal/limitText.ts';
import { parseBudget, parseLimits } from '../../../src/presentation/limits.ts';
import type { Budget } from '../../../src/agent/journal/events.ts';

describe('limits in words', () => {
  it('reads every limit in any order, of the goal and of each experiment', () => {
    const budgets: [string, Budget][] = [
      ['$5, 2 h, 40 turns', { usd: 5, minutes: 120, turns: 40 }],
      ['40 turns; 0.5 usd', { turns: 40, usd: 0.5 }],
      ['90 min', { minutes: 90 }],
      ['1.5 hours', { minutes: 90 }],
      ['1 d', { minutes: 1440 }],
      ['1 turn', { turns: 1 }],
      ['5 $', { usd: 5 }],
      ['2M tokens', { tokens: 2_000_000 }],
      ['1.234 k tokens', { tokens: 1234 }],
      ['812 tokens', { tokens: 812 }],
      ['$0.50 per experiment', { experiment: { usd: 0.5 } }],
      [
        '$5 per goal · 20 min/experiment, 5 turns an experiment',
        { usd: 5, experiment: { minutes: 20, turns: 5 } },
      ],
      ['$5, $0.50 each experiment', { usd: 5, experiment: { usd: 0.5 } }],
      ['', {}],
      ['No limit', {}],
    ];
    for (const [text, budget] of budgets)
      assert.deepEqual(parseBudget(text), { ok: true, budget }, text);
  });

  it('keeps the limits of a day apart, and takes what a flag is about for granted', () => {
    assert.deepEqual(parseLimits('$5, $20 per day, 5M tokens a day'), {
      ok: true,
      limits: { budget: { usd: 5 }, day: { usd: 20, tokens: 5_000_000 } },
    });
    assert.deepEqual(parseLimits('$20', 'day'), {
      ok: true,
      limits: { budget: {}, day: { usd: 20 } },
    });
    assert.deepEqual(parseLimits('$1, 20 min', 'experiment'), {
      ok: true,
      limits: { budget: { experiment: { usd: 1, minutes: 20 } }, day: {} },
    });
  });

  it('says what is wrong, and never guesses', () => {
    const wrong: [string, RegExp][] = [
      ['5', /“5” is not a limit/],
      ['5 apples', /is not a limit/],
      ['$5, $6', /the same limit twice/],
      ['$5 per experiment, $6 per experiment', /the same limit twice/],
      ['0 h', /is not a limit/],
      ['-1 h', /is not a limit/],
      ['2.5 turns', /must be a whole number/],
      ['1.5 tokens', /must be a whole number/],
      ['$5 h', /is not a limit/],
      ['tomorrow', /is not a limit/],
      ['$5 per week', /is not a limit/],
      ['2 h per day', /limits per day are in dollars or tokens/],
      ['$20 per day', /helios\.budget\.day/],
    ];
    for (const [text, problem] of wrong) {
      const parsed = parseBudget(text);
      assert.equal(parsed.ok, false, text);
      assert.match(parsed.problem, problem);
    }
  });

  it('reads what it writes', () => {
    const budgets: Budget[] = [
      { usd: 5, minutes: 120, turns: 40, tokens: 2_000_000 },
      { minutes: 95 },
      { usd: 0.25, turns: 1 },
      {},
      ...[1, 812, 999, 1_000, 1_001, 123_456, 999_999, 1_234_000, 1_234_567].map((tokens) => ({
        tokens,
      })),
      { usd: 5, experiment: { usd: 0.5, minutes: 20, turns: 8, tokens: 150_000 } },
    ];
    for (const budget of budgets)
      for (const separator of [' · ', ', '])
        assert.deepEqual(parseBudget(budgetText(budget, separator)), { ok: true, budget });
  });

  it('says what is used of a limit', () => {
    assert.equal(usedText({ limit: 'usd', used: 4.021, of: 5 }), '$4.02 of $5.00');
    assert.equal(usedText({ limit: 'tokens', used: 1_234_567, of: 2e6 }), '1.23M of 2M tokens');
    assert.equal(usedText({ limit: 'minutes', used: 59.99, of: 60 }), '59 of 60 min');
    assert.equal(usedText({ limit: 'turns', used: 3, of: 4 }), '3 of 4 turns');
    assert.equal(leftText({ limit: 'usd', used: 1.2, of: 5 }), '24 % used, $3.80 left');
    assert.equal(leftText({ limit: 'turns', used: 3, of: 4 }), '75 % used, 1 turn left');
    assert.equal(amountText('tokens', 1_234_567), '1.23M tokens');
    assert.equal(amountText('minutes', 59.9), '59 min');
  });
});
