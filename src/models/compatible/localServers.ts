/**
 * Reads model descriptions from local servers. A description contains the context size with which
 * the server runs the model, which is often less than the model's maximum. Exceeding this size must
 * be avoided, since some servers truncate longer prompts without an error.
 */
import { isRecord } from '../textTools/records.ts';
import type { AskJson } from './askJson.ts';
import { count, entriesOf, words, type Entry, type ToldModel } from './told.ts';

type Kind = (entries: readonly Entry[], ask: AskJson) => Promise<readonly ToldModel[] | undefined>;

/**
 * Returns the answer to a request; `undefined` if the server refused the request, for example
 * because the server does not have the path.
 */
async function orNothing(
  request: Promise<unknown>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const answer = await request;
    return isRecord(answer) ? answer : undefined;
  } catch (error) {
    if (error instanceof Error && 'status' in error) return undefined;
    throw error;
  }
}

/**
 * Reads the models of a llama.cpp server. `n_ctx` of `/props` is the context size of one slot:
 * https://github.com/ggml-org/llama.cpp/tree/master/tools/server.
 */
export const llamaCpp: Kind = async (entries, ask) => {
  if (!entries.some(({ owned_by: owner }) => owner === 'llamacpp')) return undefined;
  const props = await orNothing(ask('server:/props'));
  const { n_ctx: contextSize } = recordIn(props, 'default_generation_settings');
  const { supports_tools: takes, supports_tool_calls: makes } = recordIn(
    props,
    'chat_template_caps',
  );
  const { vision } = recordIn(props, 'modalities');
  return entries.map((entry) => ({
    id: entry.id,
    contextTokens: count(contextSize) ?? count(recordIn(entry, 'meta').n_ctx),
    // If the model's template does not support tools, the server accepts tools but hides them from
    // the model.
    ...((takes === false || makes === false) && { toolCalls: 'text' as const }),
    ...(typeof vision === 'boolean' && { acceptsImages: vision }),
  }));
};

/** Reads the models of LM Studio: https://lmstudio.ai/docs/developer/rest/endpoints. */
export const lmStudio: Kind = async (_entries, ask) => {
  const answer = await orNothing(ask('server:/api/v0/models'));
  const models = entriesOf(answer);
  if (models.length === 0) return undefined;
  return models
    .filter(({ type }) => type !== 'embeddings')
    .map((entry) => ({
      id: entry.id,
      contextTokens: count(entry.loaded_context_length) ?? count(entry.max_context_length),
      isAssumed: count(entry.loaded_context_length) === undefined,
      ...(entry.type === 'vlm' && { acceptsImages: true }),
    }));
};

/** Ollama's default context size, in tokens. */
const ollamaContextTokens = 4096;

/**
 * Reads the models of Ollama. The context size is that of the loaded model, or `num_ctx` of the
 * Modelfile: https://docs.ollama.com/api.
 */
export const ollama: Kind = async (_entries, ask) => {
  const tags = await orNothing(ask('server:/api/tags'));
  if (!Array.isArray(tags?.models)) return undefined;
  const running = entriesOf(await orNothing(ask('server:/api/ps')));
  const models = await Promise.all(
    entriesOf(tags).map(async ({ id }) => {
      const shown = await orNothing(ask('server:/api/show', { model: id }));
      return ollamaModel(id, shown, running.find((each) => each.id === id)?.context_length);
    }),
  );
  return models.flatMap((model) => model ?? []);
};

function ollamaModel(
  id: string,
  shown: Readonly<Record<string, unknown>> | undefined,
  running: unknown,
): ToldModel | undefined {
  const abilities = Array.isArray(shown?.capabilities) ? words(shown.capabilities) : undefined;
  if (abilities?.includes('completion') === false) return undefined;
  const parameters = typeof shown?.parameters === 'string' ? shown.parameters : '';
  const actualTokens = count(running) ?? count(/^num_ctx\s+"?(\d+)"?\s*$/m.exec(parameters)?.[1]);
  const maxContext = Object.entries(recordIn(shown, 'model_info')).find(([name]) =>
    name.endsWith('.context_length'),
  )?.[1];
  return {
    id,
    contextTokens:
      actualTokens ?? Math.min(count(maxContext) ?? ollamaContextTokens, ollamaContextTokens),
    isAssumed: actualTokens === undefined,
    ...(abilities && {
      toolCalls: abilities.includes('tools') ? ('native' as const) : ('text' as const),
      acceptsImages: abilities.includes('vision'),
    }),
  };
}

function recordIn(value: unknown, name: string): Readonly<Record<string, unknown>> {
  const inner = isRecord(value) ? value[name] : undefined;
  return isRecord(inner) ? inner : {};
}
