/**
 * Reads model descriptions from local servers. The context size is the one that a model runs with,
 * often less than the model's maximum: some servers truncate longer prompts without an error.
 */
import { isRecord } from '../textTools/records.ts';
import type { AskJson } from './askJson.ts';
import { count, entriesOf, words, type Entry, type ToldModel } from './told.ts';

type Kind = (entries: readonly Entry[], ask: AskJson) => Promise<readonly ToldModel[] | undefined>;

/**
 * Returns the answer to a request; `undefined` if the server does not have the path or requires
 * another key.
 */
async function orNothing(
  asked: Promise<unknown>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const answer = await asked;
    return isRecord(answer) ? answer : undefined;
  } catch (error) {
    if (error instanceof Error && 'status' in error) return undefined;
    throw error;
  }
}

/**
 * https://github.com/ggml-org/llama.cpp/tree/master/tools/server: `n_ctx` of `/props` is the
 * context of one slot.
 */
export const llamaCpp: Kind = async (entries, ask) => {
  if (!entries.some(({ owned_by: owner }) => owner === 'llamacpp')) return undefined;
  const props = await orNothing(ask('server:/props'));
  const { n_ctx: held } = recordIn(props, 'default_generation_settings');
  const { supports_tools: takes, supports_tool_calls: makes } = recordIn(
    props,
    'chat_template_caps',
  );
  const { vision } = recordIn(props, 'modalities');
  return entries.map((entry) => ({
    id: entry.id,
    contextTokens: count(held) ?? count(recordIn(entry, 'meta').n_ctx),
    // If the model's template does not support tools, the server accepts tools but hides them from
    // the model.
    ...((takes === false || makes === false) && { toolCalls: 'text' as const }),
    ...(typeof vision === 'boolean' && { acceptsImages: vision }),
  }));
};

/** https://lmstudio.ai/docs/developer/rest/endpoints */
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

/** Ollama's default context size. */
const ollamaContextTokens = 4096;

/**
 * https://docs.ollama.com/api: the context size is `num_ctx` of the Modelfile, or that of the
 * loaded model.
 */
export const ollama: Kind = async (_entries, ask) => {
  const tags = await orNothing(ask('server:/api/tags'));
  if (!Array.isArray(tags?.models)) return undefined;
  const running = entriesOf(await orNothing(ask('server:/api/ps')));
  const told = await Promise.all(
    entriesOf(tags).map(async ({ id }) => {
      const shown = await orNothing(ask('server:/api/show', { model: id }));
      return ollamaModel(id, shown, running.find((each) => each.id === id)?.context_length);
    }),
  );
  return told.flatMap((model) => model ?? []);
};

function ollamaModel(
  id: string,
  shown: Readonly<Record<string, unknown>> | undefined,
  running: unknown,
): ToldModel | undefined {
  const abilities = Array.isArray(shown?.capabilities) ? words(shown.capabilities) : undefined;
  if (abilities?.includes('completion') === false) return undefined;
  const parameters = typeof shown?.parameters === 'string' ? shown.parameters : '';
  const told = count(running) ?? count(/^num_ctx\s+"?(\d+)"?\s*$/m.exec(parameters)?.[1]);
  const held = Object.entries(recordIn(shown, 'model_info')).find(([name]) =>
    name.endsWith('.context_length'),
  )?.[1];
  return {
    id,
    contextTokens: told ?? Math.min(count(held) ?? ollamaContextTokens, ollamaContextTokens),
    isAssumed: told === undefined,
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
