import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Measure } from '../../../../src/agent/budget/measures.ts';
import {
  affordable,
  minOutputTokens,
  type NextCall,
} from '../../../../src/agent/budget/nextCall.ts';
import { costOf, worstCaseUsd, type PriceTable } from '../../../../src/models/prices.ts';
import { random } from '../../../fakes/random.ts';

const prices: PriceTable = {
  'p/m': {
    ...{ input: 4, cacheRead: 0.4, cacheWrite: 5, output: 20 },
    long: { contextTokens: 60_000, inputFactor: 2, outputFactor: 1.5 },
  },
};
const callOf = (contextTokens: number, maxOutputTokens = 32_000): NextCall => ({
  contextTokens,
  maxOutputTokens,
  worstCost: (outputTokens) =>
    worstCaseUsd('p', 'm', { contextTokens, maxOutputTokens: outputTokens }, prices),
});
const money = (used: number, of: number, scope: Measure['scope'] = 'goal'): Measure => ({
  scope,
  limit: 'usd',
  used,
  of,
});
const tokens = (used: number, of: number, scope: Measure['scope'] = 'goal'): Measure => ({
  ...{ scope, limit: 'tokens', used, of },
});

describe('what the next call may cost', () => {
  it('is never passed by calls that cost what was announced at worst, and is used to near the end', () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const next = random(seed);
      const [ofUsd, ofTokens] = [1 + 4 * next(), 300_000 + 2_000_000 * next()];
      let [usd, used, context] = [0, 0, 8_000];
      for (;;) {
        const call = callOf(context);
        const found = affordable([money(usd, ofUsd), tokens(used, ofTokens, 'day')], call);
        if (found.kind !== 'fits') {
          const min = call.worstCost(minOutputTokens);
          assert.ok('usd' in min);
          assert.ok(
            usd + min.usd > ofUsd || used + context + minOutputTokens > ofTokens,
            'ended too early',
          );
          break;
        }
        // Now and then the very worst: nothing from a cache, all of it written to one, and the
        // longest reply.
        const isWorst = next() < 0.5;
        const output = isWorst ? found.maxOutputTokens : Math.floor(found.maxOutputTokens * next());
        const usage = {
          inputTokens: 0,
          cacheReadTokens: 0,
          cacheWriteTokens: context,
          outputTokens: output,
        };
        const cost = costOf('p', 'm', usage, prices);
        assert.ok('usd' in cost);
        usd += cost.usd;
        used += context + output;
        assert.ok(usd <= ofUsd + 1e-9, `seed ${seed}: $${usd} of $${ofUsd}`);
        assert.ok(used <= ofTokens, `seed ${seed}: ${used} of ${ofTokens}`);
        context = Math.min(150_000, context + Math.floor(next() * 9_000));
      }
    }
  });

  it('says which limit is short, and by what', () => {
    const found = affordable([money(0.5, 9), tokens(90_000, 100_000)], callOf(8_000));
    assert.deepEqual(found, {
      kind: 'over',
      measure: tokens(90_000, 100_000),
      needs: 8_000 + minOutputTokens,
    });
    const short = affordable([money(4.95, 5)], callOf(10_000));
    assert.ok(
      short.kind === 'over' &&
        Math.abs(short.needs - (10_000 * 5 + minOutputTokens * 20) / 1e6) < 1e-9,
    );
  });

  it('is a shorter reply for an experiment, and never none: there is another one after it', () => {
    const fits = (used: number) => affordable([money(used, 1, 'experiment')], callOf(10_000));
    assert.deepEqual(fits(0.75), { kind: 'fits', maxOutputTokens: 10_000 });
    assert.deepEqual(fits(0.99), { kind: 'fits', maxOutputTokens: minOutputTokens });
  });

  it('is not told where there is no price, and is nothing where all is free', () => {
    const unpriced: NextCall = { ...callOf(1), worstCost: () => ({ unknown: 'no price' }) };
    assert.deepEqual(affordable([money(0, 1)], unpriced), { kind: 'unpriced', why: 'no price' });
    const free: NextCall = { ...callOf(1, 2_000), worstCost: () => ({ usd: 0 }) };
    assert.deepEqual(affordable([money(0, 1)], free), { kind: 'fits', maxOutputTokens: 2_000 });
  });

  it('is held to the limit, too, where only the request costs', () => {
    const call: NextCall = { ...callOf(1, 2_000), worstCost: () => ({ usd: 0.5 }) };
    assert.deepEqual(affordable([money(0.5, 1)], call), { kind: 'fits', maxOutputTokens: 2_000 });
    assert.equal(affordable([money(0.51, 1)], call).kind, 'over');
  });
});
