import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { coalesced } from '../../../src/base/coalesced.ts';

describe('coalesced', () => {
  it('never overlaps, and shares the next run among those who ask during one', async () => {
    let running = 0;
    let runs = 0;
    const ask = coalesced(async () => {
      assert.equal(++running, 1);
      runs++;
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    });
    const first = ask();
    await Promise.resolve();
    await Promise.all([first, ask(), ask(), ask()]);
    assert.equal(runs, 2);
    await ask();
    assert.equal(runs, 3);
  });

  it('goes on after a failure, which reaches those who asked', async () => {
    let isBroken = true;
    const ask = coalesced(() =>
      isBroken ? Promise.reject(new Error('broken')) : Promise.resolve(),
    );
    await assert.rejects(ask(), /broken/);
    isBroken = false;
    await ask();
  });
});
