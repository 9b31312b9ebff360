/** Renders the fields of a JSON schema as a nested Markdown list. */
import { oneOf } from '../base/text.ts';

export interface FieldSchema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
  /** Like `enumDescriptions`, but in Markdown; an extension of JSON Schema by VS Code. */
  readonly markdownEnumDescriptions?: readonly string[];
  readonly const?: string;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly FieldSchema[];
  readonly oneOf?: readonly FieldSchema[];
  readonly items?: FieldSchema;
}

export const code = (text: string): string => `\`${text}\``;
export const codes = (words: readonly string[]): string => oneOf(words.map(code));

/**
 * Returns a list item for each field of an object schema, with nested fields indented below; an
 * empty list for any other schema.
 */
export function fieldLines(schema: FieldSchema, indent = ''): readonly string[] {
  const { properties = {}, required = [] } =
    schema.anyOf?.find((each) => each.properties) ?? schema;
  return Object.entries(properties).flatMap(([name, field]) => {
    const traits = [typeText(field), ...(required.includes(name) ? ['required'] : [])].join(', ');
    const { description = '' } = field;
    return [
      `${indent}- ${code(name)} (${traits})${description && `: ${description}`}`,
      ...fieldLines(field, `${indent}  `),
    ];
  });
}

/** Returns the type as text: `string`, `list of strings`, or the values of an enum. */
function typeText(schema: FieldSchema): string {
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum !== undefined) return codes(schema.enum);
  if (schema.items !== undefined)
    return schema.items.type === 'string' && !schema.items.enum ? 'list of strings' : 'list';
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeText).join(', or ');
  return schema.type ?? 'value';
}
