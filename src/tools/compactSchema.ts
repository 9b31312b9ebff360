/**
 * Shortens the JSON Schema of a tool, because every request to a model contains it. Removes limits
 * that the tool itself checks, parameters that a model need not know (`hidden` in the metadata),
 * and the shape of a value that its description shows (`isOpaque`). Merges alternatives of plain
 * types. `isAlone`: also removes parameters that matter only if there are other machines (`needs`).
 */
type Schema = Readonly<Record<string, unknown>>;

/** Keywords that only repeat the descriptions, or that the tool checks in each call. */
const dropped: ReadonlySet<string> = new Set([
  ...['$schema', 'minLength', 'maxLength', 'minItems', 'maxItems', 'pattern', 'propertyNames'],
  ...['hidden', 'needs', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
]);

export function compactSchema(schema: Schema, isAlone = false): Schema {
  if (schema.isOpaque === true)
    return {
      type: schema.type,
      ...(schema.description !== '' && { description: schema.description }),
    };
  const { anyOf, additionalProperties, properties, items, ...rest } = schema;
  const kept = Object.entries(rest).filter(
    ([key, value]) =>
      !dropped.has(key) && value !== '' && !(key === 'default' && isStated(value, rest)),
  );
  const alternatives = schemasIn(anyOf)?.map((one) => compactSchema(one));
  return {
    ...(alternatives && joined(alternatives)),
    ...Object.fromEntries(kept),
    ...(isSchema(properties) && { properties: mapped(properties, isAlone) }),
    ...(isSchema(items) && { items: compactSchema(items) }),
    ...(isSchema(additionalProperties) &&
      Object.keys(additionalProperties).length > 0 && {
        additionalProperties: compactSchema(additionalProperties),
      }),
  };
}

/** Returns the schemas in a list; `undefined` if the value is not a list of schemas. */
const schemasIn = (value: unknown): readonly Schema[] | undefined =>
  Array.isArray(value) ? value.filter(isSchema) : undefined;

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

const mapped = (properties: Schema, isAlone: boolean): Schema =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([, property]) => !isSchema(property) || isShown(property, isAlone))
      .map(([name, property]) => [name, isSchema(property) ? compactSchema(property) : property]),
  );

const isShown = ({ hidden, needs }: Schema, isAlone: boolean): boolean =>
  hidden !== true && !(isAlone && needs === 'machines');

/** Returns true if the description already contains the default. */
const isStated = (value: unknown, { description }: Schema): boolean =>
  typeof description === 'string' &&
  (/\bdefault/i.test(description) ||
    value === false ||
    (Array.isArray(value) && value.length === 0));

/** Joins alternatives of plain types and lists into one schema with several types. */
function joined(alternatives: readonly Schema[]): Schema {
  const flat = alternatives.flatMap((one) => schemasIn(one.anyOf) ?? [one]);
  if (!flat.every(isPlain)) return { anyOf: alternatives };
  const types = new Set(flat.flatMap(({ type }) => type));
  const list = flat.find(({ type }) => type === 'array');
  return { type: [...types], ...(list && { items: list.items }) };
}

const isPlain = ({ type, items, ...others }: Schema): boolean =>
  type !== undefined &&
  type !== 'object' &&
  Object.keys(others).length === 0 &&
  (type === 'array' || items === undefined);
