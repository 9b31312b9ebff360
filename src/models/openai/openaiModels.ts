/**
 * Reads OpenAI's list of models, which contains little more than ids and includes models of all
 * kinds.
 */
import type { Model } from 'openai/resources/models';
import { describedModel, openaiEfforts, openaiModels, undatedId } from '../catalogue.ts';
import type { ModelDescription } from '../model.ts';

/** Assumed limits of unknown models: the smallest limits among OpenAI's newer models. */
const assumed = { contextTokens: 128_000, maxOutputTokens: 16_384 };

const conversing = /^(gpt-|chatgpt-|codex-|o\d)/;
/** Matches models that are made for other tasks or too weak for the agent. */
const unfit =
  /audio|realtime|image|tts|transcribe|search|embedding|moderation|instruct|deep-research|^gpt-3|^gpt-4(-|$)/;

/**
 * Returns the models that hold conversations with tools. Omits a model with a date in its id if the
 * same id without a date is listed.
 */
export function openaiDescriptions(models: readonly Model[]): ModelDescription[] {
  const ids = new Set(models.map(({ id }) => id));
  return models
    .filter(({ id }) => isFit(id) && (undatedId(id) === id || !ids.has(undatedId(id))))
    .map(description);
}

const isFit = (id: string): boolean => conversing.test(id) && !unfit.test(id);

function description({ id, created, shutdown_date: shutdown }: Model): ModelDescription {
  const known = describedModel(openaiModels, id) ?? { ...assumed, label: id };
  return {
    ...known,
    id,
    efforts: openaiEfforts(id),
    ...(created > 0 && { releasedMs: created * 1000 }),
    ...(shutdown && { isRetiring: true }),
  };
}
