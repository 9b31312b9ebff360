import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { readJson } from '../../../src/base/jsonText.ts';

describe('readJson', () => {
  it('reads what JSON.parse reads, and nothing else', () => {
    const texts = [
      '1',
      ' [1,2.5e3,"a\\u00e9\\"",{"b":[]},{},null,true] ',
      '',
      '[1,]',
      '{"a":1,}',
      '{a:1}',
      '01',
      '"\n"',
      '[1 2]',
    ];
    for (const text of texts) {
      let expected: unknown;
      try {
        expected = { value: JSON.parse(text) as unknown };
      } catch {
        expected = undefined;
      }
      const read = readJson(text);
      assert.deepEqual('value' in read ? { value: read.value } : undefined, expected, text);
    }
  });

  it('knows the place of each value', () => {
    const read = readJson('{\n "a": [\n  1,\n  { "b":\n   2 } ]\n}');
    assert.ok('value' in read);
    const lines = [[], ['a'], ['a', 0], ['a', 1], ['a', 1, 'b'], ['a', 7], ['z']].map((path) => read.lineOf(path));
    assert.deepEqual(lines, [1, 2, 3, 4, 5, 2, 1]);
    assert.deepEqual(read.placeOf(['a', 1, 'b']), { line: 5, column: 4 });
    assert.deepEqual(read.placeOf(['z']), { line: 1, column: 1 });
  });

  it('knows where a text stops being JSON', () => {
    const brokenAt = (text: string) => {
      const read = readJson(text);
      return 'brokenAt' in read ? read.brokenAt : undefined;
    };
    assert.deepEqual(brokenAt('{\n  "a": 1,\n}'), { line: 3, column: 1 });
    assert.deepEqual(brokenAt('{\n  "a": tru\n}'), { line: 2, column: 8 });
    assert.deepEqual(brokenAt('{ // no\n}'), { line: 1, column: 3 });
  });
});
