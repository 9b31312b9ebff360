import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { goalText } from '../../../../src/agent/context/prompt.ts';

describe('the first message of a goal', () => {
  const besides = (unchanged: readonly string[], checks: readonly string[]): string => {
    const files = unchanged.map((path) => ({ path, sha256: '0' }));
    const requirements = { unchanged: files, checks };
    const text = goalText('make it better', { limits: [], target: undefined, requirements });
    return /^Besides: .*$/m.exec(text)?.[0] ?? '';
  };

  it('speaks of files only where the goal names some to leave alone', () => {
    assert.equal(
      besides([], ['check.py']),
      'Besides: check.py passes. Give finish the command of each check.',
    );
    assert.equal(
      besides(['bench.py'], []),
      'Besides: bench.py unchanged. Helios compares the files at each launch.',
    );
    assert.match(besides(['bench.py'], ['check.py']), /each launch\. Give finish the command/);
  });

  it('names what is to stay unchanged and nothing compares', () => {
    const requirements = {
      unchanged: [],
      checks: [],
      unread: ['the split'],
      unchecked: ['use only numpy'],
    };
    const text = goalText('make it better', { limits: [], target: undefined, requirements });
    assert.match(
      text,
      /^Not checked by Helios: the split unchanged; use only numpy\. .*keep them yourself/m,
    );
    assert.doesNotMatch(text, /Besides/);
  });
});
