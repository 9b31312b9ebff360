import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { matchesGlob } from '../../../src/base/glob.ts';
import { assertInProportion } from '../../fakes/proportion.ts';
import { random } from '../../fakes/random.ts';

describe('a pattern of * and ?', () => {
  it('means the same as an expression', () => {
    const next = random(11);
    const text = (signs: string, length: number): string =>
      Array.from({ length }, () => signs[Math.floor(next() * signs.length)]).join('');
    for (let round = 0; round < 20_000; round += 1) {
      const [glob, path] = [text('ab**?', next() * 7), text('ab\n', next() * 8)];
      const source = glob.replaceAll('?', '.').replaceAll('*', '.*');
      const expected = new RegExp(`^${source}$`, 's').test(path);
      assert.equal(matchesGlob(path, glob), expected, `${glob} on ${path}`);
    }
    assert.ok(matchesGlob('a[b](c)', 'a[b](*)'));
    assert.ok(!matchesGlob('ab', 'a[b]'));
  });

  it('takes time in proportion to the text', () => {
    for (const length of [200, 20_000])
      assertInProportion(
        (share) => matchesGlob('a'.repeat(length * share), '*a*a*a*a*a*a*a*b'),
        `${length} characters`,
      );
  });
});
