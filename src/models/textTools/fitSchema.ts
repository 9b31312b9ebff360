/**
 * Converts arguments from text to the types of a tool's schema, if the conversion is unambiguous.
 */
import { isRecord } from './records.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * Replaces strings that contain a number, boolean, list or object with that value, if the schema
 * allows no string.
 */
export function fitted(value: unknown, schema: unknown): unknown {
  if (!isRecord(schema)) return value;
  if (typeof value === 'string') return spelled(value, schema);
  if (Array.isArray(value)) return value.map((item) => fitted(item, schema.items));
  if (!isRecord(value) || !isRecord(schema.properties)) return value;
  const { properties } = schema;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      Object.hasOwn(properties, name) ? fitted(member, properties[name]) : member,
    ]),
  );
}

const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function spelled(text: string, schema: Schema): unknown {
  const types = typesOf(schema);
  if (types.size === 0 || types.has('string')) return text;
  const value =
    numberPattern.test(text.trim()) || /^\s*(?:true|false|[[{])/.test(text)
      ? parsed(text)
      : undefined;
  const type = typeOf(value);
  const isWanted =
    types.has(type) || (type === 'number' && types.has('integer') && Number.isInteger(value));
  return isWanted ? fitted(value, schema) : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);

/**
 * Returns the types that the schema allows; none if the schema, or one of its branches, names no
 * type.
 */
function typesOf(schema: Schema): ReadonlySet<unknown> {
  const { type, anyOf, oneOf } = schema;
  const branches = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  if (branches === undefined)
    return new Set(Array.isArray(type) ? type : type === undefined ? [] : [type]);
  const each = branches.map((branch) => (isRecord(branch) ? typesOf(branch) : new Set()));
  // A branch without a type may accept a string.
  return each.some((types) => types.size === 0)
    ? new Set()
    : new Set(each.flatMap((types) => [...types]));
}
