/** Known models of the providers, and their settings. Other models can still be requested by id. */
import { describedModels } from './knownModels.ts';
import type { Effort, ModelDescription } from './model.ts';
import { newestOf } from './modelFamily.ts';

const allEfforts: readonly Effort[] = ['none', 'low', 'medium', 'high', 'max'];

export const claudeModels = describedModels('claude', claudeEfforts);
export const openaiModels = describedModels('openai', openaiEfforts);

/** Default families: a provider's default model is the newest of its default family. */
export const defaultClaudeFamily = 'opus';
export const defaultOpenaiFamily = 'gpt';

export const defaultClaudeModel = newestId(claudeModels, defaultClaudeFamily);
export const defaultOpenaiModel = newestId(openaiModels, defaultOpenaiFamily);

/**
 * Returns the id of the newest model of the family. Throws if there is none, because the catalogue
 * is then wrong.
 */
export function newestId(models: readonly ModelDescription[], family: string): string {
  const newest = newestOf(models, family);
  if (newest === undefined) throw new Error(`No model of the list is of the family ${family}`);
  return newest.id;
}

/**
 * Returns the description of a model by its id. The id may have a release date, as in
 * `claude-haiku-4-5-20251001`.
 */
export const describedModel = (
  models: readonly ModelDescription[],
  id: string,
): ModelDescription | undefined =>
  models.find((model) => model.id === id) ?? models.find((model) => model.id === undatedId(id));

export const undatedId = (id: string): string =>
  id.replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '');

/**
 * Thinking settings of a Claude model. `mode`: `adaptive` requests an effort, `budget` a number of
 * tokens. `off` states which request results in the least thinking: without a thinking field
 * (`omit`), with the thinking type `disabled` or `between_tools`, or with the lowest effort
 * (`lowest`) if thinking cannot be turned off.
 */
export interface ClaudeThinking {
  readonly mode: 'adaptive' | 'budget';
  readonly off: 'omit' | 'disabled' | 'between_tools' | 'lowest';
}

export function claudeThinking(model: string): ClaudeThinking {
  const [, family, major, minor = '0'] =
    /claude-(?:([a-z]+)-)?(\d+)(?:-(\d{1,2}))?(?!\d)/.exec(model) ?? [];
  if (major === undefined) return { mode: 'adaptive', off: 'omit' };
  const version = Number(major) + Number(minor) / 10;
  if (version < 4.6) return { mode: 'budget', off: 'omit' };
  if (family === 'fable' || family === 'mythos') return { mode: 'adaptive', off: 'lowest' };
  if (version < 5.5) return { mode: 'adaptive', off: 'disabled' };
  return { mode: 'adaptive', off: family === 'sonnet' ? 'between_tools' : 'lowest' };
}

/**
 * Returns the efforts of a Claude model that differ in effect. `none` is omitted if thinking cannot
 * be turned off, since it would mean the lowest effort.
 */
export function claudeEfforts(model: string): readonly Effort[] {
  return claudeThinking(model).off === 'lowest'
    ? allEfforts.filter((effort) => effort !== 'none')
    : allEfforts;
}

/**
 * Returns the efforts of an OpenAI model that differ in effect. `none` is omitted if it would mean
 * the lowest effort, `max` if it would mean `high`.
 */
export function openaiEfforts(model: string): readonly Effort[] {
  if (!isReasoningModel(model)) return [];
  return allEfforts.filter((effort) =>
    effort === 'none'
      ? openaiEffort(model, effort) === effort
      : effort !== 'max' || openaiEffort(model, effort) !== 'high',
  );
}

type OpenaiEffort = 'none' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** Returns whether an OpenAI model accepts an effort. */
export function isReasoningModel(model: string): boolean {
  return /^(gpt-[5-9]|o\d|codex)/.test(model) && !/chat/.test(model);
}

/** Returns the nearest effort that an OpenAI reasoning model accepts. */
export function openaiEffort(model: string, effort: Effort): OpenaiEffort {
  const version = Number(/^gpt-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? 0);
  if (effort === 'none') return version >= 5.1 && !model.includes('codex') ? 'none' : 'low';
  if (effort !== 'max') return effort;
  if (version >= 5.6) return 'max';
  return version >= 5.2 ? 'xhigh' : 'high';
}
