/** JSON with the place of everything in it, so that a person can be sent to it. */

/** Both from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

export type JsonReading =
  | {
      readonly value: unknown;
      /** Names that stand twice in their object: the last one counts. */
      readonly repeated: readonly (readonly PropertyKey[])[];
      /** Where the value at `path` begins; the nearest one above it where there is none. */
      placeOf(path: readonly PropertyKey[]): TextPlace;
      /** The line of `placeOf`. */
      lineOf(path: readonly PropertyKey[]): number;
    }
  /** Where the text stops being JSON. `brokenLine` is the line of `brokenAt`. */
  | { readonly brokenLine: number; readonly brokenAt: TextPlace };

export function readJson(text: string): JsonReading {
  const walk = new Walk(text);
  if (!walk.whole()) return { brokenLine: walk.place().line, brokenAt: walk.place() };
  const placeOf = (path: readonly PropertyKey[]): TextPlace =>
    walk.places.get(keyOf(path)) ?? (path.length === 0 ? { line: 1, column: 1 } : placeOf(path.slice(0, -1)));
  return {
    value: JSON.parse(text) as unknown,
    repeated: walk.repeated,
    placeOf,
    lineOf: (path) => placeOf(path).line,
  };
}

const keyOf = (path: readonly PropertyKey[]): string => JSON.stringify(path.map(String));

const space = /[ \t\r\n]*/y;
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const scalar = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;

/** Goes through the text once; stops where it is no JSON. */
class Walk {
  readonly places = new Map<string, TextPlace>();
  readonly repeated: (readonly PropertyKey[])[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  place(): TextPlace {
    const before = this.#text.slice(0, this.#at);
    return { line: before.split('\n').length, column: this.#at - before.lastIndexOf('\n') };
  }

  whole(): boolean {
    return this.#value([]) && this.#at === this.#text.length;
  }

  #value(path: readonly PropertyKey[]): boolean {
    this.#take(space);
    if (this.places.has(keyOf(path))) this.#repeat(path);
    this.places.set(keyOf(path), this.place());
    const isValue = this.#members(path) ?? (this.#take(string) !== undefined || this.#take(scalar) !== undefined);
    if (isValue) this.#take(space);
    return isValue;
  }

  /** Of an object or a list; `undefined` when neither begins here. */
  #members(path: readonly PropertyKey[]): boolean | undefined {
    const isObject = this.#sign('{');
    if (!isObject && !this.#sign('[')) return undefined;
    const end = isObject ? '}' : ']';
    this.#take(space);
    if (this.#sign(end)) return true;
    for (let index = 0; ; index += 1) {
      const step = isObject ? this.#key() : index;
      if (step === undefined || !this.#value([...path, step])) return false;
      if (this.#sign(end)) return true;
      if (!this.#sign(',')) return false;
    }
  }

  /** What stood in the one before is nowhere any more. */
  #repeat(path: readonly PropertyKey[]): void {
    this.repeated.push(path);
    const within = keyOf(path).slice(0, -1);
    for (const place of this.places.keys()) if (place.startsWith(`${within},`)) this.places.delete(place);
  }

  #key(): string | undefined {
    this.#take(space);
    const key = this.#take(string);
    this.#take(space);
    return key !== undefined && this.#sign(':') ? (JSON.parse(key) as string) : undefined;
  }

  #sign(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }
}
