/** A provider's own web search, with the retries and failures of its other calls. */
import type { RawStream } from './guarded.ts';
import {
  sumOf,
  type ModelFailure,
  type ModelProvider,
  type ModelReply,
  type SearchSource,
} from './model.ts';
import { dependable, type CallOptions, type ProviderIdentity } from './provider.ts';

/**
 * Sources of a search in order, each page once. Cleared before each attempt; only `searches` is
 * preserved, since every search is billed.
 */
export class FoundSources {
  /** Number of web searches in all attempts at the call. */
  searches = 0;
  readonly #sources = new Map<string, SearchSource>();

  /** Adds a source, unless there already is a source for the same page. */
  add(source: SearchSource): void {
    if (!this.#sources.has(source.url)) this.#sources.set(source.url, source);
  }

  clear(): void {
    this.#sources.clear();
  }

  all(): readonly SearchSource[] {
    return [...this.#sources.values()];
  }
}

/** Answers `query` as a stream and adds its sources to `found`. May throw. */
export type RawSearch = (query: string, found: FoundSources) => RawStream;

export function searching(
  raw: RawSearch,
  identity: ProviderIdentity,
  options: CallOptions,
): NonNullable<ModelProvider['search']> {
  return async ({ model, query }, signal) => {
    const found = new FoundSources();
    const answered = raw(query, found);
    const stream = dependable(
      (request, inner, attempt) => {
        found.clear();
        return answered(request, inner, attempt);
      },
      identity,
      options,
    );
    const reply = await lastReply(stream({ model, system: [], messages: [], tools: [] }, signal));
    const text = reply.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    const { usage, discardedUsage } = reply;
    const failure = reply.failure ?? withoutAnswer(reply, text);
    return {
      text,
      sources: found.all(),
      usage: discardedUsage === undefined ? usage : sumOf(usage, discardedUsage),
      searches: found.searches,
      model: reply.model,
      ...(failure && { failure }),
    };
  };
}

async function lastReply(events: ReturnType<ModelProvider['stream']>): Promise<ModelReply> {
  for await (const event of events) if (event.type === 'finished') return event.reply;
  throw new Error('The stream ended without its last event: wrap it in guarded()');
}

function withoutAnswer({ stop }: ModelReply, text: string): ModelFailure | undefined {
  if (stop === 'aborted') return { reason: 'network', message: 'The search was interrupted.' };
  return text.trim() === ''
    ? { reason: 'server', message: 'The search returned no answer.' }
    : undefined;
}
