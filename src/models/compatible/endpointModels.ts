/** Reads the models of an endpoint in the formats of the different servers. */
import type { AskJson } from './askJson.ts';
import { llamaCpp, lmStudio, ollama } from './localServers.ts';
import { count, entriesOf, words, type Entry, type ToldModel } from './told.ts';

/** Lists the models that generate text. Rejects if the endpoint has no list of models. */
export async function endpointModels(ask: AskJson): Promise<readonly ToldModel[]> {
  const entries = entriesOf(await ask('/models'));
  if (entries.some(({ pricing }) => pricing !== undefined))
    return entries.filter(isWriting).map(openRouter);
  if (entries.some((entry) => count(entry.max_model_len) !== undefined)) return entries.map(vllm);
  for (const kind of [llamaCpp, lmStudio, ollama]) {
    const models = await kind(entries, ask);
    if (models !== undefined) return models;
  }
  return entries.map(plain);
}

const plain = (entry: Entry): ToldModel => {
  const contextTokens = count(entry.context_length) ?? count(entry.context_window);
  return { id: entry.id, ...(contextTokens !== undefined && { contextTokens }) };
};

const vllm = (entry: Entry): ToldModel => ({
  ...plain(entry),
  contextTokens: count(entry.max_model_len),
});

const isWriting = ({ architecture }: Entry): boolean => {
  const { output_modalities: output } = (architecture ?? {}) as {
    readonly output_modalities?: unknown;
  };
  return output === undefined || words(output).includes('text');
};

/**
 * Reads a model of OpenRouter, which reports prices as strings in dollars per token:
 * https://openrouter.ai/docs/api-reference/list-available-models.
 */
function openRouter(entry: Entry): ToldModel {
  const { pricing, architecture, top_provider: best, supported_parameters: parameters } = entry;
  const { input_modalities: input } = (architecture ?? {}) as {
    readonly input_modalities?: unknown;
  };
  const { max_completion_tokens: max, context_length: contextLength } = (best ?? {}) as Readonly<
    Record<string, unknown>
  >;
  const price = priceOf(pricing);
  return {
    id: entry.id,
    ...(typeof entry.name === 'string' && { label: entry.name }),
    contextTokens: count(contextLength) ?? count(entry.context_length),
    maxOutputTokens: count(max),
    ...(Array.isArray(parameters) && {
      toolCalls: words(parameters).includes('tools') ? 'native' : 'text',
    }),
    ...(input !== undefined && { acceptsImages: words(input).includes('image') }),
    ...(price !== undefined && { price }),
    ...(typeof entry.created === 'number' && { releasedMs: entry.created * 1000 }),
  };
}

const perMillion = 1_000_000;

/**
 * Returns the price in dollars per million tokens; undefined if the price depends on the request
 * (OpenRouter then reports -1).
 */
function priceOf(pricing: unknown): ToldModel['price'] {
  const {
    prompt,
    completion,
    input_cache_read: read,
    input_cache_write: write,
  } = (pricing ?? {}) as Readonly<Record<string, unknown>>;
  const [input, output, cacheRead, cacheWrite] = [prompt, completion, read, write].map(dollars);
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  };
}

function dollars(price: unknown): number | undefined {
  const perToken = price === undefined || price === null || price === '' ? NaN : Number(price);
  return perToken >= 0 ? Number((perToken * perMillion).toPrecision(12)) : undefined;
}
