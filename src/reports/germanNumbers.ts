/** German numbers in a model's text: `0,31` is a decimal number, and `1.157` may be a whole one. */

const germanWords =
  /(?<!\p{L})(?:und|der|das|mit|ist|von|auf|für|wurden?|nicht|läufe?n?|lauf|über|bei|eine[nrs]?|sind)(?!\p{L})/giu;
const decimal = /(?<![\d.,])(?<!\b(?:seeds?|runs?|läufen?|lauf)\s+)(\d+),(\d+)(?![\d,]|\.\d)/giu;
const thousands = /(?<![\d.,])[1-9]\d{0,2}(?:\.\d{3})+(?![\d.]|,\d)/g;

/**
 * Returns a German text with its numbers as in English, at the same offsets; other texts unchanged.
 * A number such as `1.157` stays a decimal number if `isValue` says so of the text before it.
 */
export function withEnglishNumbers(text: string, isValue: (before: string) => boolean): string {
  const words = new Set([...text.matchAll(germanWords)].map(([word]) => word.toLowerCase()));
  if (words.size < 2) return text;
  return text
    .replace(thousands, (number, offset: number) =>
      isValue(text.slice(Math.max(0, offset - 60), offset)) ? number : number.replaceAll('.', ','),
    )
    .replace(decimal, (number, whole: string, fraction: string, offset: number) =>
      thousandsOf(text, offset, number) ? number : `${whole}.${fraction}`,
    );
}

/** Returns whether the number was written with dots, so that its commas are ours. */
const thousandsOf = (text: string, offset: number, number: string): boolean =>
  text.slice(offset, offset + number.length) !== number;
