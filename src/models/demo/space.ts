/** Reads the hyper-parameters of the script from the script's argument parser. */

/** Values of all searched options, by the name of the command-line option. */
export type Point = Readonly<Record<string, number>>;

export interface Space {
  /** Name of the option for the learning rate. */
  readonly rate: string;
  readonly momentum?: string;
  readonly width?: string;
  /** The script's own defaults, where the search starts. */
  readonly base: Point;
}

const option = /add_argument\(\s*["']--([\w-]+)["'][^)]*?\bdefault\s*=\s*([-+.\deE]+)/g;
const rateNames = ['lr', 'learning-rate', 'learning_rate'];
const widthNames = ['hidden', 'width', 'hidden-size', 'hidden_size', 'units'];

/**
 * Reads the searched options. Undefined if the script has no option with a default for the learning
 * rate.
 */
export function readSpace(script: string): Space | undefined {
  const defaults = new Map(
    [...script.matchAll(option)].map(([, name = '', value]) => [name, Number(value)]),
  );
  const first = (names: readonly string[]): string | undefined =>
    names.find((name) => Number.isFinite(defaults.get(name)));
  const rate = first(rateNames);
  if (rate === undefined || !((defaults.get(rate) ?? 0) > 0)) return undefined;
  const momentum = first(['momentum']);
  const width = first(widthNames);
  const names = [rate, momentum, width].filter((name) => name !== undefined);
  const base = Object.fromEntries(names.map((name) => [name, defaults.get(name) ?? 0]));
  return { rate, base, ...(momentum && { momentum }), ...(width && { width }) };
}

/**
 * Formats a point as `lr=0.1 momentum=0.9 hidden=32`. The text is the label of the run and the key
 * of the point.
 */
export const pointText = (point: Point): string =>
  Object.entries(point)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

export const commandFor = (point: Point): string =>
  `python3 train.py ${Object.entries(point)
    .map(([name, value]) => `--${name} ${value}`)
    .join(' ')}`;

/**
 * Reads the point from a label or a command line; missing options get their defaults. Undefined if
 * the text contains no searched option.
 */
export function readPoint(text: string, { base }: Space): Point | undefined {
  const entries = Object.keys(base).map((name) => {
    const value = new RegExp(`(?:^|[\\s-])${name}[=\\s]+(${numberPattern})`).exec(text)?.[1];
    return [name, value === undefined ? undefined : Number(value)] as const;
  });
  if (entries.every(([, value]) => value === undefined)) return undefined;
  return Object.fromEntries(entries.map(([name, value]) => [name, value ?? base[name] ?? 0]));
}

const numberPattern = '[-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:e[-+]?\\d+)?';
