import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { escapeHidden, markHidden } from '../../../src/base/hiddenCharacters.ts';

describe('hidden characters', () => {
  const hidden: readonly (readonly [what: string, first: number, last: number])[] = [
    ['control characters', 0x00, 0x08],
    ['control characters after the line feed', 0x0b, 0x1f],
    ['delete, and the second set of control characters', 0x7f, 0xa0],
    ['the soft hyphen', 0xad, 0xad],
    ['the grapheme joiner', 0x34f, 0x34f],
    ['Hangul fillers', 0x115f, 0x1160],
    ['spaces, zero-width characters and marks of the direction', 0x2000, 0x200f],
    ['separators, embeddings, overrides', 0x2028, 0x202f],
    ['isolates and invisible operators', 0x205f, 0x206f],
    ['the empty Braille pattern', 0x2800, 0x2800],
    ['the ideographic space', 0x3000, 0x3000],
    ['a Hangul filler', 0x3164, 0x3164],
    ['halves of a pair', 0xd800, 0xdfff],
    ['private characters', 0xe000, 0xe0ff],
    ['variation selectors', 0xfe00, 0xfe0f],
    ['the byte order mark', 0xfeff, 0xfeff],
    ['marks of annotations', 0xfff9, 0xfffb],
    ['tags', 0xe0000, 0xe007f],
    ['further variation selectors', 0xe0100, 0xe01ef],
  ];
  for (const [what, from, to] of hidden)
    it(`are shown as code points: ${what}`, () => {
      for (let point = from; point <= to; point += 1) {
        const name = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
        assert.equal(markHidden(`a${String.fromCodePoint(point)}b`), `a⟨${name}⟩b`);
      }
    });

  it('do not include tab, line feed, space, and what has a glyph', () => {
    const ascii = Array.from({ length: 95 }, (_, at) => String.fromCharCode(0x20 + at)).join('');
    const text = `${ascii}\t\nÄ é e\u0301 漢字 ロ 한 עברית العربية → “x” 👍🏽 ½ €`;
    assert.equal(markHidden(text), text);
  });

  it('are kept for a terminal where an emoji or a script needs them', () => {
    assert.equal(escapeHidden('👩\u200d🔬 ❤\ufe0f ب\u200cب'), '👩\u200d🔬 ❤\ufe0f ب\u200cب');
    assert.equal(escapeHidden('a\u200db\u202e\u{e0041}'), 'a\\u200db\\u202e\\udb40\\udc41');
    assert.equal(markHidden('❤\ufe0f'), '❤⟨U+FE0F⟩');
  });
});
