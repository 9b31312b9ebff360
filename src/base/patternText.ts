/** Returns the source of a pattern that matches the text itself, also with the flag `u`. */
export const patternText = (text: string): string =>
  text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
