/**
 * Full-text search in the journals, without an index: an index would be as large as the journals,
 * could be outdated, and could be lost. Searches the newest session first and, in each session, the
 * newest event first.
 */
import { open } from 'node:fs/promises';
import { codeOf, messageOf } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import type { Home } from '../../storage/home.ts';
import { parseEvent } from '../../storage/journal.ts';
import { bytePattern, linesBackwards, longestWordBytes } from '../../storage/linesBackwards.ts';
import type { JournalEvent, SessionEvent } from '../journal/events.ts';
import type { SearchHit, SearchOptions } from '../contract/search.ts';
import { queryWords, searchTexts, snippetOf } from './searchText.ts';

interface SearchTold {
  /**
   * Called with a warning for each journal that cannot be read. The other journals are searched.
   */
  onUnreadable(this: void, text: string): void;
}

/** Maximum number of journals that are searched in parallel. */
const journalsAtOnce = 4;
/** Fields whose values are not text for users, so they are not searched. */
const structure = [
  'type',
  'id',
  'callId',
  'runId',
  'sessionId',
  'provider',
  'model',
  'stop',
  'effect',
  'origin',
  'name',
];

/**
 * Finds events in which one text contains all words of the query. Quotes in the query mark a
 * phrase. `ids` are the sessions to search, newest first. An empty query finds nothing. Rejects
 * with the signal's reason when the signal aborts.
 */
export async function searchJournals(
  home: Home,
  ids: readonly SessionId[],
  query: string,
  { limit = 20, signal, onUnreadable }: SearchOptions & SearchTold,
): Promise<readonly SearchHit[]> {
  const words = queryWords(query);
  if (words.length === 0) return [];
  const enough = new AbortController();
  const either = signal === undefined ? enough.signal : AbortSignal.any([signal, enough.signal]);
  const search = { words, limit, signal: either, onUnreadable };
  const waiting: Promise<readonly SearchHit[]>[] = [];
  const hits: SearchHit[] = [];
  const take = async (): Promise<void> => void hits.push(...((await waiting.shift()) ?? []));
  try {
    for (const id of ids) {
      const found = hitsIn(home, id, search);
      // Avoids an unhandled rejection: `take` awaits this search later and throws its error.
      found.catch(() => undefined);
      waiting.push(found);
      if (waiting.length >= journalsAtOnce) await take();
      if (hits.length >= limit) break;
    }
    while (waiting.length > 0 && hits.length < limit) await take();
    return hits.slice(0, limit);
  } finally {
    enough.abort(new Error('enough was found'));
  }
}

interface Search extends SearchTold {
  readonly words: readonly string[];
  readonly limit: number;
  readonly signal: AbortSignal;
}

async function hitsIn(home: Home, id: SessionId, search: Search): Promise<SearchHit[]> {
  try {
    return await hitsInJournal(home, id, search);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    search.onUnreadable(
      `Session ${id} is not searched: its journal cannot be read (${messageOf(error)}).`,
    );
    return [];
  }
}

async function hitsInJournal(
  home: Home,
  sessionId: SessionId,
  search: Search,
): Promise<SearchHit[]> {
  const { words, limit, signal } = search;
  const file = home.journalFile(sessionId);
  const hits: Omit<SearchHit, 'goal'>[] = [];
  for await (const line of linesBackwards(file, patternsFor(words), { signal })) {
    const event = parseEvent<SessionEvent>(line);
    if (event === undefined) continue;
    for (const found of searchTexts(event)) {
      const { kind, call } = found;
      const snippet = snippetOf(found, words);
      if (snippet === undefined) continue;
      const place = { sessionId, eventId: event.id, atMs: event.at };
      hits.push({ ...place, kind, snippet, ...(call !== undefined && { call }) });
    }
    if (hits.length >= limit) break;
  }
  if (hits.length === 0) return [];
  const goal = await goalOf(file);
  return hits.slice(0, limit).map((hit) => ({ ...hit, goal }));
}

/**
 * Returns patterns for a fast first search of the undecoded lines: for each phrase, the beginning
 * of its longest word. Only lines that all patterns match are parsed and searched for the whole
 * phrases.
 */
const patternsFor = (words: readonly string[]): RegExp[] =>
  [...new Set(words.map((word) => beginning(longest(word.split(/\s+/)))))].map((word) =>
    bytePattern(word, structure),
  );

/**
 * Truncates a word so that it fits into `longestWordBytes`: a character takes at most 12 bytes in
 * JSON.
 */
const beginning = (word: string): string => [...word].slice(0, longestWordBytes / 12).join('');

const longest = (words: readonly string[]): string =>
  words.reduce((max, word) => (word.length > max.length ? word : max), '');

const maxGoalBytes = 256 * 1024;

/** Reads the goal from the first line of a journal; empty when this line contains no goal. */
async function goalOf(file: string): Promise<string> {
  try {
    await using handle = await open(file);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxGoalBytes), 0, maxGoalBytes, 0);
    const end = buffer.indexOf(10);
    const first = parseEvent<SessionEvent>(
      buffer.toString('utf8', 0, end === -1 ? bytesRead : end),
    ) as JournalEvent | undefined;
    return first?.type === 'session.started' ? first.goal : '';
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
}
