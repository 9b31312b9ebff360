/**
 * Estimates the number of tokens of a text from its characters, since the exact tokenizers of the
 * models are not available.
 */

/**
 * Characters per token. Tokenizers rarely split words, but often digits and signs in code and logs.
 * In Chinese, Japanese and Korean, nearly every character is a token; in other scripts, every
 * second.
 */
const wordChars = 4;
const signChars = 2;
const scriptChars = 2;

const isLetterOrSpace = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 32;
/**
 * First code unit counted as one token: from the CJK radicals on, including halves of surrogate
 * pairs (emoji).
 */
const firstDense = 0x2e80;
const firstForeign = 0x80;

/** Returns the estimated tokens of `text`, not rounded. At most one per UTF-16 unit. */
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

/** Returns the longest prefix of `text` with at most `maxTokens`, without splitting a character. */
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
