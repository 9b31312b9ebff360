import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { HeadTail } from '../../../src/machines/headTail.ts';

const kept = (maxBytes: number, ...pieces: string[]): HeadTail => {
  const headTail = new HeadTail(maxBytes);
  for (const piece of pieces) headTail.push(Buffer.from(piece));
  return headTail;
};

describe('HeadTail', () => {
  it('keeps everything up to the limit', () => {
    const all = kept(10, '01234', '56789');
    assert.equal(all.text(), '0123456789');
    assert.equal(all.omittedBytes, 0);
  });

  it('keeps the first and the last half beyond the limit, however the pieces are cut', () => {
    for (const size of [1, 2, 3, 7, 100]) {
      const text = Array.from({ length: 1000 }, (_, index) => String(index % 10)).join('');
      const pieces = Array.from({ length: Math.ceil(1000 / size) }, (_, index) =>
        text.slice(index * size, (index + 1) * size),
      );
      const cut = kept(20, ...pieces);
      assert.equal(cut.omittedBytes, 980);
      assert.equal(cut.text(), '0123456789\n[… 980 bytes left out …]\n0123456789');
    }
  });

  it('never shows half a character at the cut', () => {
    const cut = kept(11, 'ä€😀'.repeat(50));
    assert.doesNotMatch(cut.text(), /\uFFFD/);
    assert.match(cut.text(), /^ä/);
  });
});
