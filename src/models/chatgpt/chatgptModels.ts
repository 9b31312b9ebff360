/** The models of a ChatGPT plan: the known models, and those that the back end lists. */
import * as z from 'zod';
import { openaiEfforts, openaiModels } from '../catalogue.ts';
import { describedModels } from '../knownModels.ts';
import type { Effort } from '../effort.ts';
import type { ModelDescription } from '../model.ts';
import { newestOf } from '../modelFamily.ts';

/**
 * Maximum number of input tokens. The back end of ChatGPT accepts fewer than the API of OpenAI, and
 * reports this maximum without the output tokens.
 */
const inputTokens = 272_000;
const maxOutputTokens = 128_000;

const describe = (id: string, label: string, input = inputTokens): ModelDescription => ({
  id,
  label,
  contextTokens: input + maxOutputTokens,
  maxOutputTokens,
  efforts: openaiEfforts(id),
});

export const chatgptModels = describedModels('chatgpt', openaiEfforts);

export const defaultChatgptFamily = 'gpt';
export const defaultChatgptModel = newestOf(chatgptModels, defaultChatgptFamily)?.id ?? 'gpt-5.5';

const listShape = z.object({ models: z.array(z.unknown()) });
const modelShape = z.object({
  slug: z.string().min(1),
  display_name: z.string().nullish(),
  context_window: z.number().positive().nullish(),
  visibility: z.string().nullish(),
  input_modalities: z.array(z.string()).nullish(),
  supported_reasoning_levels: z.array(z.object({ effort: z.string() })).nullish(),
  /** The model that replaces this one, if any. */
  upgrade: z.unknown().optional(),
});
type ListedModel = z.infer<typeof modelShape>;

/**
 * Reads the back end's list; `undefined` when the answer is not a list. Omits malformed entries,
 * and models that Codex, the back end's own client, hides.
 */
export function toldModels(answer: unknown): readonly ModelDescription[] | undefined {
  const { data } = listShape.safeParse(answer);
  return data?.models
    .flatMap((entry) => modelShape.safeParse(entry).data ?? [])
    .filter(({ visibility }) => (visibility ?? 'list') === 'list')
    .map(described);
}

function described(entry: ListedModel): ModelDescription {
  const { slug, input_modalities: modalities, supported_reasoning_levels: levels } = entry;
  const known =
    chatgptModels.find(({ id }) => id === slug) ?? openaiModels.find(({ id }) => id === slug);
  const { efforts } = describe(slug, slug);
  return {
    ...describe(
      slug,
      entry.display_name ?? known?.label ?? slug,
      entry.context_window ?? inputTokens,
    ),
    ...(modalities && { acceptsImages: modalities.includes('image') }),
    ...(levels && efforts && { efforts: efforts.filter((effort) => isAmong(effort, levels)) }),
    ...(entry.upgrade !== undefined && entry.upgrade !== null && { isRetiring: true }),
  };
}

const isAmong = (effort: Effort, levels: readonly { readonly effort: string }[]): boolean =>
  levels.some((level) => level.effort === effort);
