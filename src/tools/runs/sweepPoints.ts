/**
 * Computes the points of a sweep from the arguments of the model: every combination, random values,
 * or an explicit list.
 */
import * as z from 'zod';
import { commandForm } from '../../experiments/commandForm.ts';
import { ToolFailure } from '../../base/errors.ts';
import { seededRandom } from '../../base/random.ts';
import { oneLine } from '../../base/text.ts';
import { maxPoints, type ParamValue, type SweepPoint } from '../../runs/sweep.ts';
import { checkPlaces, fill, parseTemplate } from './sweepTemplate.ts';

const value = z.union([z.string(), z.number(), z.boolean()]);
const name = z.string().regex(/^[A-Za-z_]\w*$/, 'must be a plain name, such as lr');
const isOrdered = ({ min, max }: { min: number; max: number }): boolean => min <= max;
const order = 'min must not be above max';

/** Parameter for repeats of a command with several seeds. */
export const seeds = z.array(z.int().min(0)).min(1).max(100).optional();

const distribution = z.discriminatedUnion('type', [
  z
    .strictObject({ type: z.literal('uniform'), min: z.number(), max: z.number() })
    .refine(isOrdered, order),
  z
    .strictObject({
      type: z.literal('log_uniform'),
      min: z.number().positive(),
      max: z.number().positive(),
    })
    .refine(isOrdered, order),
  z.strictObject({ type: z.literal('int'), min: z.int(), max: z.int() }).refine(isOrdered, order),
  z.strictObject({ type: z.literal('choice'), values: z.array(value).min(1) }),
]);
type Distribution = z.output<typeof distribution>;

export const pointParameters = {
  params: z
    .record(name, z.array(value).min(1))
    .optional()
    .describe('Values to combine: {"lr": [1e-3, 3e-4], "bs": [32, 64]}.')
    .meta({ isOpaque: true }),
  random: z
    .strictObject({
      // The description says more about distributions than their schema, in fewer words.
      params: z.record(name, z.unknown().pipe(distribution)),
      count: z.int().min(1).max(maxPoints),
      seed: z.int().min(0).default(0).describe('Of the values. Default: 0.'),
    })
    .optional()
    .describe(
      '{"params": {"lr": {"type": "log_uniform", "min": 1e-5, "max": 1e-2}}, "count": 20}; also uniform, int, and choice (values).',
    )
    .meta({ isOpaque: true }),
  points: z
    .array(z.record(name, value))
    .min(1)
    .max(maxPoints)
    .optional()
    .describe('A list: [{"lr": 1e-3, "bs": 32}, …].'),
  seeds: seeds.describe('Runs each point with each seed, put at {seed}; results are mean ± sd.'),
};

type Given = z.output<z.ZodObject<typeof pointParameters>>;

export interface Points {
  readonly names: readonly string[];
  /** The points, each with a different command. */
  readonly points: readonly SweepPoint[];
  /** Number of points omitted because another point has the same command. */
  readonly duplicates: number;
}

/** Returns the points of the sweep. Throws `ToolFailure` that says which argument is invalid. */
export function pointsOf(commandTemplate: string, pointArgs: Given): Points {
  const all = valuesOf(pointArgs);
  const names = Object.keys(all[0] ?? {});
  const other = all.find((one) => Object.keys(one).toSorted().join() !== names.toSorted().join());
  if (other !== undefined)
    throw new ToolFailure(
      `Every point needs the same parameters: the first has ${names.join(', ')}, another ${Object.keys(other).join(', ')}. Nothing was started.`,
    );
  const template = parseTemplate(commandTemplate);
  checkPlaces(template, names);
  const varying = names.filter((each) => new Set(all.map((one) => one[each])).size > 1);
  const points = new Map<string, SweepPoint>();
  for (const params of all) {
    const command = fill(template, params);
    const hidesSeed = 'seed' in params && commandForm(command).seed === undefined;
    const setting = hidesSeed ? fill(template, { ...params, seed: 'SEED' }) : undefined;
    const label = labelOf(params, varying);
    if (!points.has(command))
      points.set(command, { params, command, label, ...(setting && { setting }) });
  }
  return { names, points: [...points.values()], duplicates: all.length - points.size };
}

type Values = Readonly<Record<string, ParamValue>>;

function valuesOf({ seeds: given, ...source }: Given): readonly Values[] {
  const all = settingsOf(source, given !== undefined);
  if (given === undefined) return all;
  if (all.some((one) => 'seed' in one))
    throw new ToolFailure(
      'Pass the seeds as seeds or as a parameter, not both. Nothing was started.',
    );
  const repeated = all.flatMap((one) => given.map((seed) => ({ ...one, seed })));
  checkCount(repeated.length);
  return repeated;
}

function settingsOf(
  { params, random, points }: Omit<Given, 'seeds'>,
  hasSeeds: boolean,
): readonly Values[] {
  const sources = [params, random, points].filter((one) => one !== undefined);
  const isParamsEmpty = Object.keys(params ?? {}).length === 0;
  if (hasSeeds && isParamsEmpty && random === undefined && points === undefined) return [{}];
  if (sources.length !== 1)
    throw new ToolFailure('Pass exactly one of params, random and points. Nothing was started.');
  if (points !== undefined) return points;
  if (random !== undefined) return draw(random);
  return combinations(params ?? {});
}

function checkCount(count: number): void {
  if (count > maxPoints)
    throw new ToolFailure(
      `These are ${count} combinations; a sweep has at most ${maxPoints}. Use fewer values, or select some with random. Nothing was started.`,
    );
}

function combinations(params: Readonly<Record<string, readonly ParamValue[]>>): readonly Values[] {
  const count = Object.values(params).reduce((product, values) => product * values.length, 1);
  if (Object.keys(params).length === 0)
    throw new ToolFailure('params is empty: name at least one parameter.');
  checkCount(count);
  return Object.entries(params).reduce<readonly Values[]>(
    (all, [key, values]) => all.flatMap((one) => values.map((each) => ({ ...one, [key]: each }))),
    [{}],
  );
}

function draw({ params, count, seed }: NonNullable<Given['random']>): readonly Values[] {
  if (Object.keys(params).length === 0)
    throw new ToolFailure('random.params is empty: name at least one parameter.');
  const next = seededRandom(seed);
  return Array.from({ length: count }, () =>
    Object.fromEntries(Object.entries(params).map(([key, each]) => [key, drawn(each, next())])),
  );
}

const significantDigits = 6;
const rounded = (number: number): number => Number(number.toPrecision(significantDigits));

/** Returns the value of the distribution for `share`, a number from 0 to below 1. */
function drawn(from: Distribution, share: number): ParamValue {
  switch (from.type) {
    case 'uniform':
      return rounded(from.min + share * (from.max - from.min));
    case 'log_uniform':
      return rounded(from.min * (from.max / from.min) ** share);
    case 'int':
      return from.min + Math.floor(share * (from.max - from.min + 1));
    case 'choice':
      return from.values[Math.floor(share * from.values.length)] ?? '';
  }
}

/**
 * Returns the label of a point, which names only the parameters that differ between points. If none
 * differs, names all parameters.
 */
function labelOf(params: Values, varying: readonly string[]): string {
  const shown = Object.entries(params).filter(
    ([key]) => varying.length === 0 || varying.includes(key),
  );
  return oneLine(shown.map(([key, each]) => `${key}=${valueText(each)}`).join(' '), 60);
}

/** Returns the shortest spelling of the value: `3e-4`, `0.1`, `64`. */
function valueText(each: ParamValue): string {
  if (typeof each !== 'number') return String(each);
  const [plain, scientific] = [String(each), each.toExponential().replace('e+', 'e')];
  return scientific.length < plain.length ? scientific : plain;
}
