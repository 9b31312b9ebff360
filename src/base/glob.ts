/**
 * Returns whether the whole text matches a pattern, in which `*` stands for any text and `?` for
 * any character. Never takes longer than the product of both lengths: if the text after a `*` does
 * not match, only the last `*` takes one more character.
 */
export function matchesGlob(text: string, pattern: string): boolean {
  let [textAt, patternAt] = [0, 0];
  let star: { readonly patternAt: number; textAt: number } | undefined;
  while (textAt < text.length) {
    const sign = pattern[patternAt];
    if (sign === '*') {
      star = { patternAt: (patternAt += 1), textAt };
    } else if (sign === '?' || (sign !== undefined && sign === text[textAt])) {
      textAt += 1;
      patternAt += 1;
    } else if (star !== undefined) {
      textAt = star.textAt += 1;
      patternAt = star.patternAt;
    } else return false;
  }
  while (pattern[patternAt] === '*') patternAt += 1;
  return patternAt === pattern.length;
}
