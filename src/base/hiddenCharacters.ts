/** Makes characters visible that have no glyph, or that change how other characters are shown. */

/**
 * Matches characters that a terminal would interpret or not show: control characters other than tab
 * and line feed, marks of the text direction, zero-width characters, fillers, tags. Excludes
 * joiners and variation selectors where an emoji or a script needs them.
 */
const needless = new RegExp(
  [
    '(?<![\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\p{Script=Arabic}]|\\p{Extended_Pictographic}\\ufe0f|(?!\\p{DI})\\p{M})[\\u200c\\u200d]',
    '(?<!\\p{Extended_Pictographic})[\\ufe0e\\ufe0f](?!\\u20e3)',
    '(?![\\n\\t\\u200c\\u200d\\ufe0e\\ufe0f])[\\p{Cc}\\p{DI}\\p{Zl}\\p{Zp}\\ufff9-\\ufffb]',
  ].join('|'),
  'gu',
);

/**
 * Matches characters that a reader may not see, or may take for other characters: in addition to
 * the above, joiners, variation selectors, spaces other than U+0020, private and unassigned
 * characters, and lone surrogates.
 */
const unseen = new RegExp('(?![\\n\\t ])[\\p{C}\\p{Z}\\p{DI}\\u2800]', 'gu');

/**
 * Replaces the characters that a terminal would interpret or not show with escapes, such as
 * `\u202e`. The value of a JSON text stays the same.
 */
export const escapeHidden = (text: string): string => text.replace(needless, escaped);

/**
 * Replaces the characters that `escapeHidden` replaces with their code points, such as `⟨U+202E⟩`,
 * for a reader of a text in any script.
 */
export const showHidden = (text: string): string => text.replace(needless, marked);

/**
 * Replaces every character that a reader may not see, or may take for another, with its code point,
 * such as `⟨U+202E⟩`.
 */
export const markHidden = (text: string): string => text.replace(unseen, marked);

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');

const marked = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
