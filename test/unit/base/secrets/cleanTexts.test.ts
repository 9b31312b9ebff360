import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { CleanTexts } from '../../../../src/base/secrets/cleanTexts.ts';

describe('CleanTexts', () => {
  const text = (index: number): string => `${index}`.padEnd(1_000_000, '.');

  it('forgets the texts that were not needed for longest, so that it stays small', () => {
    const clean = new CleanTexts();
    for (let index = 0; index < 20; index += 1) {
      clean.add(text(index));
      assert.ok(clean.has(text(0)), 'a text that is needed again and again');
    }
    const kept = Array.from({ length: 20 }, (_each, index) => clean.has(text(index)));
    assert.ok(kept.filter(Boolean).length <= 10, 'the others');
    assert.equal(kept[19], true);
  });

  it('knows nothing after it was cleared', () => {
    const clean = new CleanTexts();
    clean.add('a');
    clean.clear();
    assert.equal(clean.has('a'), false);
  });
});
