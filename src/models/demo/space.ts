/**
 * Reads which hyper-parameters the training script accepts, from its calls of `add_argument`. The
 * demo varies at most three of them: learning rate, momentum and layer width.
 */

/** Hyper-parameters of one run: values by option name, such as `{ lr: 0.1, momentum: 0.9 }`. */
export type Point = Readonly<Record<string, number>>;

/** The options of the training script that the demo varies. */
export interface Space {
  /** Name of the option for the learning rate. */
  readonly rate: string;
  /** Name of the option for momentum; absent if the script has no such option. */
  readonly momentum?: string;
  /** Name of the option for the layer width; absent if the script has no such option. */
  readonly width?: string;
  /** Defaults of these options in the script. The first run uses these values. */
  readonly base: Point;
}

const option = /add_argument\(\s*["']--([\w-]+)["'][^)]*?\bdefault\s*=\s*([-+.\deE]+)/g;
const rateNames = ['lr', 'learning-rate', 'learning_rate'];
const widthNames = ['hidden', 'width', 'hidden-size', 'hidden_size', 'units'];

/**
 * Reads the source code of the training script and returns the options that the demo varies.
 * Undefined if the script has no learning-rate option with a positive default.
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
 * Formats a point as `lr=0.1 momentum=0.9 hidden=32`. The text serves as the label of the run, and
 * as the key by which points are compared.
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
 * Reads the point from a label or a command line; missing options get their defaults. Returns
 * undefined if the text contains none of the options in `base`.
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
