/**
 * Models that the providers are known to have. A model that is not listed can still be asked for by
 * its id.
 */
import { describedModels } from './knownModels.ts';
import type { Effort, ModelDescription } from './model.ts';
import { newestOf } from './modelFamily.ts';

const allEfforts: readonly Effort[] = ['none', 'low', 'medium', 'high', 'max'];

export const claudeModels = describedModels('claude', claudeEfforts);
export const openaiModels = describedModels('openai', openaiEfforts);

/** As aliases: what a provider asks for is the newest of them. */
export const defaultClaudeFamily = 'opus';
export const defaultOpenaiFamily = 'gpt';

export const defaultClaudeModel = newestId(claudeModels, defaultClaudeFamily);
export const defaultOpenaiModel = newestId(openaiModels, defaultOpenaiFamily);

/** Throws when there is none: a list of ours is wrong then. */
export function newestId(models: readonly ModelDescription[], family: string): string {
  const newest = newestOf(models, family);
  if (newest === undefined) throw new Error(`No model of the list is of the family ${family}`);
  return newest.id;
}

/**
 * The entry of a model, also when it is asked for with the date of its release, as in
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
 * How a Claude model is told to think: `adaptive` by an effort, `budget` by a number of tokens.
 * `off` is the least that it can be told: nothing at all, `disabled`, `between_tools`, or (where
 * thinking cannot be turned off) the `lowest` effort.
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
 * The efforts that make a difference: where thinking cannot be turned off, `none` is the lowest.
 */
export function claudeEfforts(model: string): readonly Effort[] {
  return claudeThinking(model).off === 'lowest'
    ? allEfforts.filter((effort) => effort !== 'none')
    : allEfforts;
}

/** The efforts that make a difference: `none` may be the lowest, and `max` the same as `high`. */
export function openaiEfforts(model: string): readonly Effort[] {
  if (!isReasoningModel(model)) return [];
  return allEfforts.filter((effort) =>
    effort === 'none'
      ? openaiEffort(model, effort) === effort
      : effort !== 'max' || openaiEffort(model, effort) !== 'high',
  );
}

type OpenaiEffort = 'none' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** False for models that refuse to be told an effort. */
export function isReasoningModel(model: string): boolean {
  return /^(gpt-[5-9]|o\d|codex)/.test(model) && !/chat/.test(model);
}

/** The nearest effort that an OpenAI reasoning model takes. */
export function openaiEffort(model: string, effort: Effort): OpenaiEffort {
  const version = Number(/^gpt-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? 0);
  if (effort === 'none') return version >= 5.1 && !model.includes('codex') ? 'none' : 'low';
  if (effort !== 'max') return effort;
  if (version >= 5.6) return 'max';
  return version >= 5.2 ? 'xhigh' : 'high';
}
