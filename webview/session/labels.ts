/** Formats US dollars with as many digits as are meaningful: `$1.20`, `$0.0042`. */
export const formatUsd = (usd: number): string =>
  usd === 0 || usd >= 0.1 ? `$${usd.toFixed(2)}` : `$${Number(usd.toPrecision(2))}`;

export const counted = (count: number, word: string): string =>
  `${count} ${word}${count === 1 ? '' : 's'}`;
