import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { maxDepth, readJson } from '../../../src/base/jsonText.ts';
import { assertInProportion } from '../../fakes/proportion.ts';

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
    const lines = [[], ['a'], ['a', 0], ['a', 1], ['a', 1, 'b'], ['a', 7], ['z']].map((path) =>
      read.lineOf(path),
    );
    assert.deepEqual(lines, [1, 2, 3, 4, 5, 2, 1]);
    assert.deepEqual(read.placeOf(['a', 1, 'b']), { line: 5, column: 4 });
    assert.deepEqual(read.placeOf(['z']), { line: 1, column: 1 });
  });

  const broken: [string, string, { line: number; column: number }, RegExp][] = [
    [
      'a comma too many',
      '{\n  "a": 1,\n}',
      { line: 3, column: 1 },
      /: an extra comma or a missing value before this/,
    ],
    [
      'a comma too many in a list',
      '[1,]',
      { line: 1, column: 4 },
      /: an extra comma or a missing value before this/,
    ],
    ['two commas', '[1,,2]', { line: 1, column: 4 }, /: an extra comma, or a missing value/],
    ['a comma too few', '[1\n 2]', { line: 2, column: 2 }, /: a comma is missing before this/],
    [
      'a comma too few before a text',
      '["a"\n "b"]',
      { line: 2, column: 2 },
      /: a comma or a quote is missing before/,
    ],
    [
      'a value without quotes',
      '{\n  "a": tru\n}',
      { line: 2, column: 8 },
      /: names and strings need double quotes/,
    ],
    ['single quotes', "{'a': 1}", { line: 1, column: 2 }, /: names and strings need double quotes/],
    [
      'a text without an end',
      '{\n  "a": "b\n}',
      { line: 2, column: 8 },
      /: this string has no closing/,
    ],
    [
      'a comment without an end',
      '{ /* x\n}',
      { line: 1, column: 3 },
      /: this comment is not closed/,
    ],
    [
      'a comment that begins at the end',
      '{} /*',
      { line: 1, column: 4 },
      /: this comment is not closed/,
    ],
    ['no end', '{\n  "a": [1', { line: 2, column: 10 }, /: it ends too early/],
    ['nothing but a comment', '// x', { line: 1, column: 5 }, /: it ends too early/],
    [
      'the wrong bracket',
      '{"a": [1}',
      { line: 1, column: 9 },
      /: another closing bracket is missing before this/,
    ],
    ['no colon', '{"a" 1}', { line: 1, column: 6 }, /: a colon is missing before this/],
    [
      'a tab in a text',
      '{"a": "b\tc"}',
      { line: 1, column: 7 },
      /: this string contains a control character/,
    ],
    [
      'a path with backslashes',
      '{"a": "C:\\data"}',
      { line: 1, column: 7 },
      /: this escape is not valid/,
    ],
    [
      'two values',
      '{} 1',
      { line: 1, column: 4 },
      /: there is text after the end of the JSON value/,
    ],
    ['a sign of no language', '[§]', { line: 1, column: 2 }, /^it is not valid JSON from here on$/],
  ];
  for (const [what, text, place, why] of broken)
    it(`knows where a text stops being JSON, and why: ${what}`, () => {
      const read = readJson(text);
      assert.ok('brokenAt' in read);
      assert.deepEqual([read.brokenAt, read.brokenLine], [place, place.line]);
      assert.match(read.why, /^it is not valid JSON/);
      assert.match(read.why, why);
    });

  it('reads over comments, and knows the places behind them', () => {
    const read = readJson('// a\n{\n  /* b\n  */ "url": "http://x" // c\n}\n// d');
    assert.ok('value' in read);
    assert.deepEqual(read.value, { url: 'http://x' });
    assert.deepEqual(read.placeOf(['url']), { line: 4, column: 13 });
  });

  it('names what stands twice, once, and its last place', () => {
    const read = readJson(
      '{"a": 1, "b": {"c": 1, "c": 2}, "a": {"d": 1}, "a": {"e": 1}, "__proto__": 1}',
    );
    assert.ok('value' in read);
    assert.deepEqual(read.repeated, [['a'], ['b', 'c']]);
    assert.deepEqual(read.placeOf(['a']), { line: 1, column: 53 });
    assert.deepEqual(read.placeOf(['a', 'd']), read.placeOf(['a']));
    assert.deepEqual(Object.keys(read.value as object), ['a', 'b', '__proto__']);
  });

  it('takes what JSON.parse takes, whatever is changed in a text', () => {
    const whole = '{"a": [1, -2.5e3, true, null], "b\\u00e9": {"c": "x\\n", "d": {}}}';
    const put = [
      '',
      '"',
      ',',
      '}',
      ']',
      '[',
      '{',
      ':',
      '0',
      '.',
      '-',
      'e',
      '\\',
      '\t',
      '\n',
      '\u00a0',
      'u',
    ];
    for (let at = 0; at <= whole.length; at += 1)
      for (const sign of put)
        for (const text of [
          whole.slice(0, at) + sign + whole.slice(at),
          whole.slice(0, at) + sign + whole.slice(at + 1),
        ]) {
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

  const nested = (depth: number, open: string, close: string): string =>
    `${open.repeat(depth)}1${close.repeat(depth)}`;

  it('reads up to a depth', () => {
    assert.ok('value' in readJson(nested(maxDepth, '[', ']')));
    assert.ok('value' in readJson(nested(maxDepth, '{"a":', '}')));
  });

  const deep: readonly (readonly [string, string, number])[] = [
    ['lists', nested(100_000, '[', ']'), maxDepth + 1],
    ['objects', nested(100_000, '{"a":', '}'), maxDepth * 5 + 1],
    ['brackets that are never closed', '['.repeat(100_000), maxDepth + 1],
  ];
  for (const [name, text, column] of deep)
    it(`says where ${name} become too deep`, () => {
      const read = readJson(text);
      assert.ok('why' in read);
      assert.equal(read.why, `it is nested more than ${maxDepth} levels deep`);
      assert.deepEqual(read.brokenAt, { line: 1, column });
    });

  const wide = (share: number): string =>
    `{${Array.from({ length: 16_000 * share }, (_, index) => `"k${index}": [${index}]`).join(',\n')}}`;

  it('finds repeated names in proportion to their number', () => {
    assertInProportion((share) => readJson(wide(share)));
  });

  it('finds places in proportion to their number', () => {
    assertInProportion((share) => {
      const read = readJson(wide(share));
      assert.ok('value' in read);
      for (let index = 0; index < 16_000 * share; index += 1)
        assert.equal(read.lineOf([`k${index}`, 0]), index + 1);
    });
  });
});
