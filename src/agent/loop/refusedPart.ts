/** Finds the optional part of a call without which the call would not be refused. */
import type { Tool } from '../../tools/tool.ts';

type Input = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Input =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Resolves with the name of this part, such as `env` or one of its variables; with `undefined` if there
 * is none. `isFine` is asked about the arguments of the call without a part.
 */
export async function refusedPart(
  { optionalParts, parse }: Pick<Tool, 'optionalParts' | 'parse'>,
  input: unknown,
  isFine: (args: unknown) => boolean | Promise<boolean>,
): Promise<string | undefined> {
  if (!isRecord(input)) return undefined;
  for (const [part, rest] of optionalParts.flatMap((name) => withoutParts(input, name))) {
    const parsed = parse(rest);
    if (parsed.ok && (await isFine(parsed.args))) return part;
  }
  return undefined;
}

/** Returns the input without each entry of an argument, and without the argument. */
function withoutParts(input: Input, name: string): readonly (readonly [string, Input])[] {
  const { [name]: value, ...rest } = input;
  if (value === undefined) return [];
  const keys = isRecord(value) ? Object.keys(value) : [];
  const entries = keys.length < 2 ? [] : keys;
  return [
    ...entries.map((key) => [`${name}.${key}`, { ...input, [name]: without(value, key) }] as const),
    [name, rest],
  ];
}

const without = (value: unknown, key: string): Input =>
  Object.fromEntries(Object.entries(value ?? {}).filter(([each]) => each !== key));
