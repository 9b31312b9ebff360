/**
 * What a provider's prompt cache would have known of a request: requests are cut into the parts
 * that caches tell apart, in the order in which they cache them. Give the usage of a wire server's
 * answer by it:
 *
 *     const cache = new PromptCache();
 *     startWireAnthropic(({ body }) => ({ text: 'Hello', usage: cache.usageOf(body) }));
 *     cache.hitShare
 */
import { createHash } from 'node:crypto';
import type { Usage } from '../../src/models/model.ts';
import { list, type Json, type JsonObject } from './wire.ts';

/** A tool, a part of the system prompt, or a block of a message, as it is sent, without marks. */
export interface CachePart {
  readonly text: string;
  /** A cache is written up to here (Messages API), where not everywhere. */
  readonly isMarked: boolean;
}

export function cacheParts(body: JsonObject): CachePart[] {
  const tools = list(body.tools).map((tool) => part('tool', tool));
  const prompt =
    typeof body.instructions === 'string'
      ? [part('system', body.instructions)]
      : [...list(body.system), ...partsOf(body.systemInstruction)].map((block) =>
          part('system', block),
        );
  // Gemini says parts where others say content.
  const contents = list(body.contents).map(({ parts = null, ...rest }) => ({
    ...rest,
    content: parts,
  }));
  const messages = [...list(body.messages), ...list(body.input), ...contents];
  return [...tools, ...prompt, ...messages.flatMap(messageParts)];
}

const partsOf = (instruction: Json | undefined): JsonObject[] =>
  list((instruction as JsonObject | undefined)?.parts);

/** What stands in a message beside its content belongs to its beginning. */
function messageParts({ content, ...rest }: JsonObject): CachePart[] {
  if (!Array.isArray(content)) return [part('item', { ...rest, content: content ?? null })];
  return list(content).map((block, index) =>
    part(index === 0 ? JSON.stringify(rest) : 'block', block),
  );
}

function part(head: string, value: Json): CachePart {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const { cache_control: mark, ...rest } = isObject ? value : { value };
  return { text: `${head} ${JSON.stringify(rest)}`, isMarked: mark !== undefined };
}

const charsPerToken = 4;
/** Nothing shorter is cached. */
const minTokens = 1_024;
/** So many parts before a mark are looked at for what was written there (Messages API). */
const lookBack = 20;

interface Point {
  /** Of everything up to and including the part. */
  readonly hash: string;
  readonly tokens: number;
  readonly isMarked: boolean;
}

/**
 * Of one account: nothing is ever dropped from it. With marks in a request only what they mark is
 * read and written.
 */
export class PromptCache {
  readonly #written = new Set<string>();
  #inputTokens = 0;
  #readTokens = 0;

  usageOf(body: JsonObject): Pick<Usage, 'inputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'> {
    const points = pointsOf(cacheParts(body));
    const hasMarks = points.some(({ isMarked }) => isMarked);
    const total = points.at(-1)?.tokens ?? 0;
    const read = this.#read(points, hasMarks);
    const ends = points.filter(
      ({ isMarked, tokens }) => (isMarked || !hasMarks) && tokens >= minTokens,
    );
    for (const { hash } of ends) this.#written.add(hash);
    // Where there are no marks, writing is not charged apart.
    const cacheWriteTokens = hasMarks ? Math.max(0, (ends.at(-1)?.tokens ?? 0) - read) : 0;
    this.#inputTokens += total;
    this.#readTokens += read;
    return {
      inputTokens: total - read - cacheWriteTokens,
      cacheReadTokens: read,
      cacheWriteTokens,
    };
  }

  /** Share of all input that was read from the cache. */
  get hitShare(): number {
    return this.#inputTokens === 0 ? 0 : this.#readTokens / this.#inputTokens;
  }

  #read(points: readonly Point[], hasMarks: boolean): number {
    const seen = points.filter(
      ({ hash }, index) =>
        this.#written.has(hash) &&
        (!hasMarks || points.slice(index, index + lookBack).some(({ isMarked }) => isMarked)),
    );
    return seen.at(-1)?.tokens ?? 0;
  }
}

function pointsOf(parts: readonly CachePart[]): Point[] {
  let hash = '';
  let chars = 0;
  return parts.map(({ text, isMarked }) => {
    hash = createHash('sha1').update(hash).update(text).digest('base64');
    chars += text.length;
    return { hash, tokens: Math.ceil(chars / charsPerToken), isMarked };
  });
}
