/** Known models of the providers, and their settings. Other models can still be requested by id. */
import { effortLevels, nearestEffort, type Effort } from './effort.ts';
import { describedModels } from './knownModels.ts';
import type { ModelDescription } from './model.ts';
import { newestOf } from './modelFamily.ts';

/** Effort that a request with adaptive thinking can name. */
export type AdaptiveEffort = Exclude<Effort, 'none' | 'minimal'>;

const firstAdaptive: readonly AdaptiveEffort[] = ['low', 'medium', 'high', 'max'];
const laterAdaptive: readonly AdaptiveEffort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

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
  /** Efforts that a request with adaptive thinking may name. */
  readonly adaptive: readonly AdaptiveEffort[];
}

export function claudeThinking(model: string): ClaudeThinking {
  const [, family, major, minor = '0'] =
    /claude-(?:([a-z]+)-)?(\d+)(?:-(\d{1,2}))?(?!\d)/.exec(model) ?? [];
  if (major === undefined) return { mode: 'adaptive', off: 'omit', adaptive: firstAdaptive };
  const version = Number(major) + Number(minor) / 10;
  const adaptive = version < 4.7 ? firstAdaptive : laterAdaptive;
  if (version < 4.6) return { mode: 'budget', off: 'omit', adaptive };
  if (family === 'fable' || family === 'mythos')
    return { mode: 'adaptive', off: 'lowest', adaptive };
  if (version < 5.5) return { mode: 'adaptive', off: 'disabled', adaptive };
  return { mode: 'adaptive', off: family === 'sonnet' ? 'between_tools' : 'lowest', adaptive };
}

/**
 * Returns the efforts of a Claude model that differ in effect. `none` is omitted if thinking cannot
 * be turned off, since it would mean the lowest effort.
 */
export function claudeEfforts(model: string): readonly Effort[] {
  const { mode, off, adaptive } = claudeThinking(model);
  if (mode === 'budget') return effortLevels;
  return off === 'lowest' ? adaptive : ['none', ...adaptive];
}

/** Returns the efforts that an OpenAI model accepts. */
export function openaiEfforts(model: string): readonly Effort[] {
  if (!isReasoningModel(model)) return [];
  const version = Number(/^gpt-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? 0);
  const isCodex = model.includes('codex');
  return effortLevels.filter((effort) => {
    switch (effort) {
      case 'none':
        return version >= 5.1 && !isCodex;
      case 'minimal':
        return version === 5 && !isCodex;
      case 'xhigh':
        return version >= 5.2 || model.includes('codex-max');
      case 'max':
        return version >= 5.6;
      default:
        return true;
    }
  });
}

/** Returns whether an OpenAI model accepts an effort. */
export function isReasoningModel(model: string): boolean {
  return /^(gpt-[5-9]|o\d|codex)/.test(model) && !/chat/.test(model);
}

/** Returns the nearest effort that an OpenAI reasoning model accepts. */
export const openaiEffort = (model: string, effort: Effort): Effort =>
  nearestEffort(openaiEfforts(model), effort) ?? effort;
