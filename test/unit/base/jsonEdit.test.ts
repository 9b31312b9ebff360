import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { withItem, withValue } from '../../../src/base/jsonEdit.ts';
import { readJson } from '../../../src/base/jsonText.ts';
import { random, seedOf } from '../../fakes/random.ts';

const valueOf = (text: string): unknown => {
  const read = readJson(text);
  assert.ok('value' in read, text);
  return read.value;
};

describe('a change of JSON with comments', () => {
  it('adds to a list as the file is laid out', () => {
    const cases: [string, string][] = [
      ['{\n  "a": []\n}\n', '{\n  "a": [\n    {\n      "b": 1\n    }\n  ]\n}\n'],
      ['{\n\t"a": [\n\t\t2\n\t]\n}', '{\n\t"a": [\n\t\t2,\n\t\t{\n\t\t\t"b": 1\n\t\t}\n\t]\n}'],
      [
        '{\r\n  "a": [\r\n    2\r\n  ]\r\n}',
        '{\r\n  "a": [\r\n    2,\r\n    {\r\n      "b": 1\r\n    }\r\n  ]\r\n}',
      ],
    ];
    for (const [before, after] of cases) assert.equal(withItem(before, ['a'], { b: 1 }), after);
    assert.deepEqual(valueOf(withItem('{"a":[1]}', ['a'], { b: 1 })), { a: [1, { b: 1 }] });
    assert.equal(
      withItem('{\n  "a": [\n    // none yet\n  ]\n}', ['a'], 1),
      '{\n  "a": [\n    // none yet\n    1\n  ]\n}',
    );
  });

  it('takes a value away with its comments alone, changes it, and adds one', () => {
    const text =
      '{\n  // About a.\n  "a": 1, // One.\n  // About b.\n  "b": 2 // Two.\n  // The end.\n}';
    assert.equal(
      withValue(text, ['b'], undefined),
      '{\n  // About a.\n  "a": 1 // One.\n  // The end.\n}',
    );
    assert.equal(
      withValue(text, ['a'], undefined),
      '{\n  // About b.\n  "b": 2 // Two.\n  // The end.\n}',
    );
    assert.equal(withValue(text, ['a'], [3]), text.replace('1', '[\n    3\n  ]'));
    assert.equal(withValue(text, ['c'], 3), text.replace('2 // Two.', '2, // Two.\n  "c": 3'));
    assert.deepEqual(valueOf(withValue('{"a": {"b": 1, "c": 2}}', ['a', 'b'], undefined)), {
      a: { c: 2 },
    });
    assert.equal(withValue('{"a": 1}', ['b'], undefined), '{"a": 1}');
  });

  it('takes the only item, and items on one line', () => {
    assert.equal(withValue('[1, 2, 3]', [2], undefined), '[1, 2]');
    assert.equal(withValue('[1, 2, 3]', [1], undefined), '[1, 3]');
    assert.equal(withValue('[1]', [0], undefined), '[]');
    assert.equal(withValue('[1]', [1], undefined), '[1]');
    assert.equal(withValue('[\n  1 // one\n]', [0], undefined), '[\n]');
    assert.equal(withValue('[\n  1, /* one\n*/ 2\n]', [0], undefined), '[\n /* one\n*/ 2\n]');
  });

  it('is right wherever comments and line breaks stand', () => {
    const next = random(seedOf('HELIOS_JSON_SEED', 20_260_111));
    const gaps = ['', '', ' ', '\n', '\n  ', ' // a, b ]\n', '/* ] */', ' /* x\n*/ ', '\n// {\n\n'];
    const gap = (): string => gaps[Math.floor(next() * gaps.length)] ?? '';
    for (let round = 0; round < 2000; round += 1) {
      const items = Array.from({ length: Math.floor(next() * 4) }, (_, index) => ({ id: index }));
      const list = items
        .map((item) => `${gap()}{${gap()}"id"${gap()}:${item.id}${gap()}}${gap()}`)
        .join(',');
      const text = `${gap()}{${gap()}"list":${gap()}[${list || gap()}]${gap()}}${gap()}`;
      assert.deepEqual(
        valueOf(withItem(text, ['list'], { id: 9 })),
        { list: [...items, { id: 9 }] },
        text,
      );
      for (const { id } of items) {
        const rest = items.filter((item) => item.id !== id);
        assert.deepEqual(valueOf(withValue(text, ['list', id], undefined)), { list: rest }, text);
        assert.deepEqual(valueOf(withValue(text, ['list', id, 'x'], [])), {
          list: items.map((item) => (item.id === id ? { ...item, x: [] } : item)),
        });
        const path = ['list', id, 'id'];
        const [changed, gone] = [withValue(text, path, 7), withValue(text, path, undefined)];
        assert.deepEqual(
          valueOf(changed),
          { list: items.map((item) => (item.id === id ? { id: 7 } : item)) },
          text,
        );
        assert.deepEqual(
          valueOf(gone),
          { list: items.map((item) => (item.id === id ? {} : item)) },
          text,
        );
      }
    }
  });
});
