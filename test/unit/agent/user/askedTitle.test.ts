import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { askedTitle, failedTitle } from '../../../../src/agent/user/askedTitle.ts';
import { random, seedOf } from '../../../fakes/random.ts';
import { everyTool, randomCalls } from '../../../fakes/randomCalls.ts';

describe('the title of a call in a question', () => {
  it('says what the call will do, for every tool', () => {
    const next = random(seedOf('CALLS_SEED', 20_261_123));
    const verbs = everyTool().flatMap((tool) =>
      randomCalls(tool, 30, next).map(({ args }) => askedTitle(tool.describe(args)).split(/\W/)[0]),
    );
    const past = [...new Set(verbs)].filter((verb = '') =>
      /^(?:(?!Need).*ed|Ran|Wrote|Sent|Swept|Got|Took|Made)$/.test(verb),
    );
    assert.deepEqual(past, []);
    assert.ok(verbs.includes('Run') && verbs.includes('Write'));
  });

  it('keeps the rest as it is', () =>
    assert.equal(askedTitle('Ran echo Ran on gpu1'), 'Run echo Ran on gpu1'));

  it('of a call that failed does not say that it was done, unless its command ran', () => {
    assert.equal(failedTitle({}, 'Swept 6 points'), 'Sweep 6 points');
    assert.equal(failedTitle({ exitCode: 2 }, 'Ran make'), 'Ran make');
  });
});
