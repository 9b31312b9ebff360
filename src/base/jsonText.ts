/**
 * Reads JSON with comments, together with the position of each value, so that an error message can
 * state the position.
 */
import {
  parseTree,
  printParseErrorCode,
  stripComments,
  type Node,
  type ParseError,
} from 'jsonc-parser';

/** A position in a text: line and column start at 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

export type JsonReading =
  | {
      readonly value: unknown;
      /**
       * Paths of keys that occur twice in the same object. `value` contains the last value of such
       * a key.
       */
      readonly repeated: readonly (readonly PropertyKey[])[];
      /**
       * Returns the position of the value at `path` or, if there is none, of the nearest existing
       * ancestor.
       */
      placeOf(path: readonly PropertyKey[]): TextPlace;
      /** Returns the line of the position that `placeOf` returns. */
      lineOf(path: readonly PropertyKey[]): number;
    }
  /**
   * For invalid JSON: `brokenAt` is the position of the first error, `brokenLine` its line, and
   * `why` a clause that explains the error to the user.
   */
  | { readonly brokenLine: number; readonly brokenAt: TextPlace; readonly why: string };

export function readJson(text: string): JsonReading {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors);
  const [first] = errors;
  if (first !== undefined || root === undefined) {
    const at = first?.offset ?? 0;
    const brokenAt = placeIn(text, at);
    return { brokenLine: brokenAt.line, brokenAt, why: whyBroken(first, text.slice(at)) };
  }
  const placeOf = (path: readonly PropertyKey[]): TextPlace =>
    placeIn(text, nearest(root, path).offset);
  return {
    value: JSON.parse(stripComments(text, ' ')) as unknown,
    repeated: repeatedIn(root, []),
    placeOf,
    lineOf: (path) => placeOf(path).line,
  };
}

function placeIn(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/**
 * Returns the members of an object by name, or the items of a list by index. If a name occurs
 * twice, the last value is returned.
 */
function membersOf({ type, children = [] }: Node): Map<PropertyKey, Node> {
  if (type === 'array') return new Map(children.entries());
  const members = new Map<PropertyKey, Node>();
  for (const { children: [name, value] = [] } of children)
    if (name && value) members.set(name.value as string, value);
  return members;
}

function nearest(root: Node, path: readonly PropertyKey[]): Node {
  let found = root;
  for (const key of path) {
    const next = membersOf(found).get(found.type === 'array' ? Number(key) : String(key));
    if (next === undefined) break;
    found = next;
  }
  return found;
}

function repeatedIn(node: Node, path: readonly PropertyKey[]): (readonly PropertyKey[])[] {
  const names =
    node.type === 'object'
      ? (node.children ?? []).map(({ children: [name] = [] }) => name?.value as string)
      : [];
  return [...membersOf(node)].flatMap(([key, value]) => [
    ...(names.indexOf(String(key)) === names.lastIndexOf(String(key)) ? [] : [[...path, key]]),
    ...repeatedIn(value, [...path, key]),
  ]);
}

const invalid = 'it is not valid JSON';

/** Explains a parse error. `rest` is the text that starts at the error. */
function whyBroken(error: ParseError | undefined, rest: string): string {
  const code = error && printParseErrorCode(error.error);
  const why = (code && reasons[code]) ?? expected(code, rest);
  return why === undefined ? `${invalid} from here on` : `${invalid}: ${why}`;
}

const reasons: Partial<Record<ReturnType<typeof printParseErrorCode>, string>> = {
  UnexpectedEndOfComment: 'this comment is not closed',
  UnexpectedEndOfString: 'this string has no closing quote on its line',
  UnexpectedEndOfNumber: 'this number is incomplete',
  InvalidCharacter: 'this string contains a control character: write \\t for a tab',
  InvalidUnicode: '\\u must be followed by four hexadecimal digits',
  InvalidEscapeCharacter: 'this escape is not valid: write \\\\ for a backslash',
  EndOfFileExpected: 'there is text after the end of the JSON value',
  ColonExpected: 'a colon is missing before this',
};

function expected(code: string | undefined, rest: string): string | undefined {
  if (rest.trim() === '') return 'it ends too early: a value or a closing bracket is missing';
  if (/^[}\]]/.test(rest))
    return code === 'CommaExpected'
      ? 'another closing bracket is missing before this'
      : 'an extra comma or a missing value before this';
  if (rest.startsWith(',')) return 'an extra comma, or a missing value before it';
  if (/^['‘’“”`]|^[A-Za-z_$]/.test(rest)) return 'names and strings need double quotes, "…"';
  if (rest.startsWith('"')) return 'a comma or a quote is missing before this';
  return code === 'CommaExpected' ? 'a comma is missing before this' : undefined;
}
