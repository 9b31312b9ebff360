/**
 * Returns whether the whole text matches a pattern, in which `*` stands for any text and `?` for
 * any character. The time is at most proportional to the product of both lengths, because after a
 * mismatch only the last `*` is extended.
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
