/** Extracts the searchable texts of an event, and finds words in them. */
import type { HitKind, Snippet } from '../contract/search.ts';
import { patternText } from '../../base/patternText.ts';
import { cleanText } from '../../base/text.ts';
import type { JournalEvent } from '../journal/events.ts';
import { resultText } from '../journal/resultText.ts';

export interface SearchText {
  readonly kind: HitKind;
  readonly text: string;
  /** Summary of the call that returned the text; omitted for other texts. */
  readonly call?: string;
}

type EventOf<Type extends JournalEvent['type']> = Extract<JournalEvent, { type: Type }>;

const extractors: {
  readonly [Type in JournalEvent['type']]?: (event: EventOf<Type>) => readonly SearchText[];
} = {
  'session.started': ({ goal }) => [{ kind: 'goal', text: goal }],
  'session.renamed': ({ title }) => [{ kind: 'goal', text: title }],
  'session.ended': ({ summary }) => [{ kind: 'end', text: summary }],
  'message.added': ({ origin, text, isUnsaid }) =>
    origin === 'person' && isUnsaid !== true ? [{ kind: 'message', text }] : [],
  'model.replied': ({ content }) =>
    content.flatMap((block): SearchText[] => {
      if (block.type === 'text') return [{ kind: 'reply', text: block.text }];
      return block.type === 'tool_call'
        ? [{ kind: 'tool', text: stringsIn(block.input).join('\n') }]
        : [];
    }),
  'tool.finished': ({ text, summary }) => [
    { kind: 'result', text: resultText(text), ...(summary !== undefined && { call: summary }) },
  ],
  'run.planned': ({ spec }) => [{ kind: 'run', text: `${spec.label}\n${spec.command}` }],
  'run.ended': ({ outputTail }) =>
    outputTail === undefined ? [] : [{ kind: 'run', text: outputTail }],
  'run.annotated': ({ tags, note }) => [{ kind: 'note', text: `${tags.join(' ')}\n${note}` }],
  'run.alarmed': ({ detail }) => [{ kind: 'run', text: detail }],
  'experiment.planned': ({ plan }) => [{ kind: 'experiment', text: plan.hypothesis }],
  'experiment.decided': ({ why }) => [{ kind: 'experiment', text: why }],
  'question.asked': ({ text }) => [{ kind: 'question', text }],
  'question.answered': ({ answer }) => [{ kind: 'question', text: answer }],
  'note.pinned': ({ text }) => [{ kind: 'note', text }],
};

/**
 * Returns the searchable texts of an event. Returns none for an event without text, and for an
 * event of a newer version of Helios.
 */
export function searchTexts(event: JournalEvent): readonly SearchText[] {
  const extract = extractors[event.type] as
    ((event: JournalEvent) => readonly SearchText[]) | undefined;
  return extract?.(event) ?? [];
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** Splits a query at white space. Words in quotes stay together as a phrase. */
export function queryWords(query: string): string[] {
  const words = [...query.matchAll(/"([^"]*)"?|([^\s"]+)/g)].map(([, phrase, word]) =>
    (phrase ?? word ?? '').trim(),
  );
  return [...new Set(words.filter((word) => word !== ''))];
}

const snippetChars = 160;
const charsBefore = 50;

/**
 * Returns a snippet when the text contains every word, ignoring case; else `undefined`. Of calls and
 * their results, the snippet is the value of one field if this value contains every word.
 */
export function snippetOf(
  { kind, text }: SearchText,
  words: readonly string[],
): Snippet | undefined {
  const values = kind === 'tool' || kind === 'result' ? valuesOf(text) : [];
  for (const value of values) {
    const found = snippetIn(value, words);
    if (found !== undefined) return found;
  }
  return snippetIn(text, words);
}

/** Returns the lines without the names of fields before them: `label: lr=1` is `lr=1`. */
const valuesOf = (text: string): string[] =>
  text.split('\n').map((line) => line.replace(/^(?:- )?\w+:? +(?=\S)/, ''));

function snippetIn(text: string, words: readonly string[]): Snippet | undefined {
  const line = cleanText(text).replace(/\s+/g, ' ').trim();
  const patterns = words.map((word) => new RegExp(patternText(word.replace(/\s+/g, ' ')), 'giu'));
  const places = patterns.map((pattern) => line.search(pattern));
  if (places.includes(-1)) return undefined;
  const first = Math.min(...places);
  const start = wholeCharAt(line, Math.max(0, first - charsBefore));
  const end = wholeCharAt(line, Math.min(line.length, start + snippetChars));
  const head = start > 0 ? '…' : '';
  const shown = `${head}${line.slice(start, end)}${end < line.length ? '…' : ''}`;
  const marks = patterns.flatMap((pattern) =>
    [...shown.matchAll(pattern)].map(
      ({ index, 0: found }) => [index, index + found.length] as const,
    ),
  );
  return { text: shown, marks: merged(marks) };
}

/**
 * Moves an index to the start of a character when the index is in the middle of a surrogate pair.
 */
const wholeCharAt = (text: string, at: number): number =>
  /^[\udc00-\udfff]/.test(text.slice(at, at + 1)) ? at - 1 : at;

/** Sorts marks, and merges marks that overlap or touch. */
function merged(marks: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  const joined: [number, number][] = [];
  for (const [start, end] of marks.toSorted(([one], [other]) => one - other)) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else joined.push([start, end]);
  }
  return joined;
}
