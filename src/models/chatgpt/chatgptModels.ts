/** The models of a ChatGPT plan: those in our list, and those that the back end lists. */
import * as z from 'zod';
import { openaiEfforts, openaiModels } from '../catalogue.ts';
import { describedModels } from '../knownModels.ts';
import type { Effort, ModelDescription } from '../model.ts';
import { newestOf } from '../modelFamily.ts';

/**
 * Maximum input. The back end accepts less than the API, and its figure does not include the
 * output.
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
type Told = z.infer<typeof modelShape>;

/**
 * Reads the back end's list; `undefined` when the answer is not a list. Leaves out malformed
 * entries, and those that Codex, the back end's own client, hides.
 */
export function toldModels(answer: unknown): readonly ModelDescription[] | undefined {
  const { data } = listShape.safeParse(answer);
  return data?.models
    .flatMap((told) => modelShape.safeParse(told).data ?? [])
    .filter(({ visibility }) => (visibility ?? 'list') === 'list')
    .map(described);
}

function described(told: Told): ModelDescription {
  const { slug, input_modalities: modalities, supported_reasoning_levels: levels } = told;
  const known =
    chatgptModels.find(({ id }) => id === slug) ?? openaiModels.find(({ id }) => id === slug);
  const { efforts } = describe(slug, slug);
  return {
    ...describe(
      slug,
      told.display_name ?? known?.label ?? slug,
      told.context_window ?? inputTokens,
    ),
    ...(modalities && { acceptsImages: modalities.includes('image') }),
    ...(levels && efforts && { efforts: efforts.filter((effort) => isAmong(effort, levels)) }),
    ...(told.upgrade !== undefined && told.upgrade !== null && { isRetiring: true }),
  };
}

const isAmong = (effort: Effort, levels: readonly { readonly effort: string }[]): boolean =>
  levels.some((level) => level.effort === effort || (effort === 'max' && level.effort === 'xhigh'));
