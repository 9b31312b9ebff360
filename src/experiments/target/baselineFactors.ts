/** Brings the ways to name a share of the baseline into one form: `0.5 × the baseline`. */

const ofBaseline = String.raw`(?:(?:of|von|der|die|des|dem|the|its|our)\s+){0,3}baseline(?!\p{L})(?:'s(?:\s+value)?)?`;
const number = String.raw`(?<![\p{L}\d_.,/-])(?<number>\d+(?:[.,]\d+)?(?:e[-+]?\d+)?)(?:\/(?<divisor>[1-9]\d*))?`;
const half = String.raw`(?:(?:the|der|die|dem)\s+)?(?:half|hälfte)`;
const forms: readonly RegExp[] = [
  // The printed form with the value of the baseline: `0.31 (half of the baseline's 0.62, run 2)`.
  String.raw`(?<![\p{L}\d_.,/-])-?\d\S*\s*\((?:${half}|${number}\s*×)\s+${ofBaseline}[^()]*\)`,
  String.raw`${number}\s*(?:(?<percent>%|percent|per\s+cent|prozent)|×|x|\*|times|mal|-?\s?fold|-?\s?fache?[ns]?)\s*${ofBaseline}`,
  String.raw`(?<!\p{L})${half}\s+${ofBaseline}`,
  String.raw`(?<=[<>≤≥]=?\s*)(?:(?:the|der|die)\s+)?(?<whole>baseline)(?!\p{L})(?!\s*[-+*×/\d])`,
].map((source) => new RegExp(source, 'giu'));

/** Returns the text with every share of the baseline as `0.5 × the baseline`. */
export const withFactors = (text: string): string =>
  forms.reduce(
    (current, form) =>
      current.replace(form, (...match: unknown[]) => {
        const groups = match.at(-1) as Readonly<Record<string, string | undefined>>;
        return `${factorOf(groups)} × the baseline`;
      }),
    text,
  );

function factorOf({
  number: digits,
  divisor = '1',
  percent,
  whole,
}: Readonly<Record<string, string | undefined>>): number {
  if (whole !== undefined) return 1;
  if (digits === undefined) return 0.5;
  const value = Number(digits.replace(',', '.')) / Number(divisor);
  return percent === undefined ? value : Number((value / 100).toPrecision(12));
}
