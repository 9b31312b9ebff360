/**
 * Parses code, emphasis and links in a block of Markdown. Takes time proportional to the length of
 * the text, because the positions of all closing marks are listed first.
 */

export type Span =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis'; readonly spans: readonly Span[] }
  | { readonly kind: 'link'; readonly text: string; readonly address: string };

interface Match {
  readonly span: Span;
  readonly end: number;
}

export function parseInline(text: string): readonly Span[] {
  const ends = new Ends(text);
  const spans: Span[] = [];
  let textFrom = 0;
  for (let at = 0; at < text.length;) {
    const match = matchAt(text, at, ends);
    if (match === undefined) {
      at += text[at] === '`' ? runLength(text, at) : 1;
      continue;
    }
    if (at > textFrom) spans.push({ kind: 'text', text: text.slice(textFrom, at) });
    spans.push(match.span);
    at = textFrom = match.end;
  }
  if (textFrom < text.length) spans.push({ kind: 'text', text: text.slice(textFrom) });
  return spans;
}

function matchAt(text: string, at: number, ends: Ends): Match | undefined {
  switch (text[at]) {
    case '`':
      return code(text, at, ends);
    case '*':
      return strong(text, at, ends) ?? emphasis(text, at, ends.star);
    case '_':
      return emphasis(text, at, ends.underscore);
    case '!':
      return text[at + 1] === '[' ? link(text, at + 1, ends) : undefined;
    case '[':
      return link(text, at, ends);
    default:
      return undefined;
  }
}

function code(text: string, at: number, ends: Ends): Match | undefined {
  const length = runLength(text, at);
  const end = ends.run(length)?.atOrAfter(at + length);
  return end === undefined
    ? undefined
    : { span: { kind: 'code', text: text.slice(at + length, end).trim() }, end: end + length };
}

function strong(text: string, at: number, ends: Ends): Match | undefined {
  if (text[at + 1] !== '*' || !isInk(text[at + 2])) return undefined;
  const end = ends.strong.atOrAfter(at + 3);
  return end === undefined
    ? undefined
    : { span: { kind: 'strong', spans: parseInline(text.slice(at + 2, end)) }, end: end + 2 };
}

/** Parses emphasis, which ends at the next mark of the same kind or not at all. */
function emphasis(text: string, at: number, marks: Places): Match | undefined {
  const [before, next] = [text[at - 1] ?? '', text[at + 1]];
  if (/[\w*]/.test(before) || !isInk(next) || next === text[at]) return undefined;
  const end = marks.atOrAfter(at + 2);
  if (end === undefined || !isInk(text[end - 1]) || /\w/.test(text[end + 1] ?? ''))
    return undefined;
  return { span: { kind: 'emphasis', spans: parseInline(text.slice(at + 1, end)) }, end: end + 1 };
}

/** Parses `[text](address "title")`; `at` is the place of the bracket. */
function link(text: string, at: number, ends: Ends): Match | undefined {
  const close = ends.bracket.atOrAfter(at + 1);
  if (close === undefined || text[close + 1] !== '(') return undefined;
  const end = ends.parenthesis.atOrAfter(close + 2);
  if (end === undefined) return undefined;
  const address = /^\S*/.exec(text.slice(close + 2, end))?.[0] ?? '';
  return { span: { kind: 'link', text: text.slice(at + 1, close), address }, end: end + 1 };
}

const isInk = (character: string | undefined): boolean =>
  character !== undefined && /\S/.test(character);

function runLength(text: string, at: number): number {
  let end = at;
  while (text[end] === '`') end += 1;
  return end - at;
}

/** Places in ascending order. Each search must start at or after the previous one. */
class Places {
  readonly #places: number[] = [];
  #from = 0;

  add(place: number): void {
    this.#places.push(place);
  }

  atOrAfter(place: number): number | undefined {
    while ((this.#places[this.#from] ?? Infinity) < place) this.#from += 1;
    return this.#places[this.#from];
  }
}

/** Positions at which each kind of mark can end. */
class Ends {
  readonly star = new Places();
  readonly underscore = new Places();
  /** Two stars after a character other than white space. */
  readonly strong = new Places();
  readonly bracket = new Places();
  readonly parenthesis = new Places();
  readonly #runs = new Map<number, Places>();

  constructor(text: string) {
    for (const { 0: mark, index } of text.matchAll(/`+|[*_\])]/g)) {
      if (mark === '_') this.underscore.add(index);
      else if (mark === ']') this.bracket.add(index);
      else if (mark === ')') this.parenthesis.add(index);
      else if (mark === '*') this.#addStar(text, index);
      else this.#addRun(mark.length, index);
    }
  }

  /** Returns the places of the sequences of exactly `length` backticks. */
  run(length: number): Places | undefined {
    return this.#runs.get(length);
  }

  #addStar(text: string, index: number): void {
    this.star.add(index);
    if (text[index + 1] === '*' && isInk(text[index - 1])) this.strong.add(index);
  }

  #addRun(length: number, index: number): void {
    const places = this.#runs.get(length) ?? new Places();
    places.add(index);
    this.#runs.set(length, places);
  }
}
