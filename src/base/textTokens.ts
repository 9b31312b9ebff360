/**
 * Estimates how many tokens a text has, based on its characters, since the exact tokenizers of the
 * models are not available.
 */

/** Average number of English letters and spaces per token. A tokenizer rarely splits a word. */
const wordChars = 4;
/**
 * Average number of digits, signs and other ASCII characters per token. A tokenizer often splits
 * these characters, as in code and logs.
 */
const signChars = 2;
/** Average number of letters per token in alphabets such as Cyrillic, and of accented letters. */
const scriptChars = 2;

const isLetterOrSpace = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 32;
/**
 * Each UTF-16 code unit with this value or a higher one is estimated as one token: CJK characters
 * and all later characters, including halves of surrogate pairs (emoji).
 */
const firstDense = 0x2e80;
/** Lowest UTF-16 code unit outside ASCII. */
const firstForeign = 0x80;

/**
 * Returns the estimated number of tokens, not rounded. Never larger than the number of UTF-16
 * units.
 */
export function textTokens(text: string): number {
  let words = 0;
  let signs = 0;
  let foreign = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (isLetterOrSpace(code)) words += 1;
    else if (code < firstForeign) signs += 1;
    else if (code < firstDense) foreign += 1;
  }
  const dense = text.length - words - signs - foreign;
  return words / wordChars + signs / signChars + foreign / scriptChars + dense;
}

/**
 * Returns the longest prefix of `text` that has at most `maxTokens` and does not split a character.
 */
export function beginningOf(text: string, maxTokens: number): string {
  if (textTokens(text) <= maxTokens) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (textTokens(text.slice(0, middle)) <= maxTokens) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, low).replace(/[\uD800-\uDBFF]$/, '');
}
