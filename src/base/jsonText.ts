/**
 * Reads JSON with comments, together with the position of each value, so that an error message can
 * state the position.
 */
import {
  createScanner,
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

/** Maximum number of lists and objects inside each other. */
export const maxDepth = 100;
export const tooDeep = `is nested more than ${maxDepth} levels deep`;

/** Returns whether lists and objects are nested up to `maxDepth` levels. */
export function isShallow(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= maxDepth; depth += 1) {
    level = level.filter((each) => typeof each === 'object' && each !== null);
    if (level.length === 0) return true;
    level = level.flatMap((each) => Object.values(each as object) as unknown[]);
  }
  return false;
}

/** Reads the text in a time that is proportional to its length. */
export function readJson(text: string): JsonReading {
  const places = new Places(text);
  const broken = (at: number, why: string): JsonReading => {
    const brokenAt = places.at(at);
    return { brokenLine: brokenAt.line, brokenAt, why };
  };
  const deepAt = tooDeepAt(text);
  if (deepAt !== undefined) return broken(deepAt, `it ${tooDeep}`);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors);
  const [first] = errors;
  if (first !== undefined || root === undefined) {
    const at = first?.offset ?? 0;
    return broken(at, whyBroken(first, text.slice(at)));
  }
  const tree = new Tree(root);
  const placeOf = (path: readonly PropertyKey[]): TextPlace => places.at(tree.nearest(path).offset);
  return {
    value: JSON.parse(stripComments(text, ' ')) as unknown,
    repeated: tree.repeated(),
    placeOf,
    lineOf: (path) => placeOf(path).line,
  };
}

/**
 * Returns the offset of the first bracket that opens more than `maxDepth` levels. The parser calls
 * itself for each level, so it must not see such a text.
 */
function tooDeepAt(text: string): number | undefined {
  const scanner = createScanner(text, true);
  const next = (): number => {
    scanner.scan();
    return scanner.getTokenOffset();
  };
  let depth = 0;
  for (let at = next(); at < text.length; at = next()) {
    const token = text.charAt(at);
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    if (depth > maxDepth) return at;
  }
  return undefined;
}

/** Converts offsets in a text to lines and columns. */
class Places {
  /** Offset at which each line starts. */
  readonly #starts: readonly number[];

  constructor(text: string) {
    this.#starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  }

  at(offset: number): TextPlace {
    let [first, after] = [0, this.#starts.length];
    while (after - first > 1) {
      const middle = (first + after) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) first = middle;
      else after = middle;
    }
    return { line: first + 1, column: offset - (this.#starts[first] ?? 0) + 1 };
  }
}

type Path = readonly PropertyKey[];

class Tree {
  readonly #root: Node;
  readonly #members = new Map<Node, ReadonlyMap<PropertyKey, Node>>();

  constructor(root: Node) {
    this.#root = root;
  }

  /** Returns the node at the path, or its nearest existing ancestor. */
  nearest(path: Path): Node {
    let found = this.#root;
    for (const key of path) {
      const next = this.#membersOf(found).get(found.type === 'array' ? Number(key) : String(key));
      if (next === undefined) break;
      found = next;
    }
    return found;
  }

  /** Returns the paths of the names that occur twice in an object. */
  repeated(node = this.#root, path: Path = []): Path[] {
    return [
      ...repeatedNames(node).map((name) => [...path, name]),
      ...[...this.#membersOf(node)].flatMap(([key, member]) =>
        member.children === undefined ? [] : this.repeated(member, [...path, key]),
      ),
    ];
  }

  #membersOf(node: Node): ReadonlyMap<PropertyKey, Node> {
    const members = this.#members.get(node) ?? membersIn(node);
    this.#members.set(node, members);
    return members;
  }
}

/**
 * Returns the members of an object by name, or the items of a list by index. If a name occurs
 * twice, the last value is returned.
 */
function membersIn({ type, children = [] }: Node): Map<PropertyKey, Node> {
  if (type === 'array') return new Map(children.entries());
  const members = new Map<PropertyKey, Node>();
  for (const { children: [name, value] = [] } of children)
    if (name && value) members.set(name.value as string, value);
  return members;
}

function repeatedNames({ type, children = [] }: Node): string[] {
  if (type !== 'object') return [];
  const [seen, repeated] = [new Set<string>(), new Set<string>()];
  for (const { children: [name] = [] } of children) {
    const text = name?.value as string;
    (seen.has(text) ? repeated : seen).add(text);
  }
  return [...repeated];
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
