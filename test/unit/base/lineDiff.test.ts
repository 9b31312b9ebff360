import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { lineDiff } from '../../../src/base/lineDiff.ts';

describe('the change of a text', () => {
  it('shows what is removed and added, with the lines around', () => {
    const cases: readonly (readonly [before: string, after: string, diff: string])[] = [
      ['', '', ''],
      ['a\n', 'a\n', ''],
      ['', 'a\nb\n', '+a\n+b'],
      ['a\nb\n', '', '-a\n-b'],
      ['a\nb\nc\n', 'a\nx\nc\n', ' a\n-b\n+x\n c'],
      ['1\n2\n3\n4\n5\n', '1\n2\n3\n4\n5\n6\n', ' 3\n 4\n 5\n+6'],
      ['a\na\n', 'a\na\na\n', ' a\n a\n+a'],
      ['a', 'a\n', '-a\n+a'],
      ['a\r\nb', 'a\r\nc', ' a\n-b\n+c'],
    ];
    for (const [before, after, diff] of cases) assert.equal(lineDiff(before, after), diff);
  });
});
