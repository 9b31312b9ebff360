/**
 * Maps efforts to the thinking settings of Gemini models: a level since Gemini 3, a number of
 * tokens for older models.
 */
import type { ThinkingConfig, ThinkingLevel } from '@google/genai/web';
import { effortLevels, nearestEffort, type Effort } from '../effort.ts';

/**
 * Setting by which a model accepts the amount of thinking. `level`: a named level. `budget`: a number of tokens from `min` to `max`. `none`: the model has no such
 * setting.
 */
type ThinkingMode =
  | { readonly by: 'level'; readonly levels: readonly Level[] }
  | { readonly by: 'budget'; readonly min: number; readonly max: number }
  | { readonly by: 'none' };

type Level = Extract<Effort, 'minimal' | 'low' | 'medium' | 'high'>;

const levelsFromLow: readonly Level[] = ['low', 'medium', 'high'];

/** Returns whether a call in the history needs its thought signature, as for Gemini 3 and later. */
export const wantsSignatures = (model: string): boolean => thinkingModeOf(model).by === 'level';

export function thinkingConfig(
  model: string,
  wanted: Effort | undefined,
): ThinkingConfig | undefined {
  const mode = thinkingModeOf(model);
  if (mode.by === 'none') return undefined;
  const effort = wanted && nearestEffort(geminiEfforts(model), wanted);
  if (effort === undefined) return { includeThoughts: true };
  if (mode.by === 'level')
    return { includeThoughts: true, thinkingLevel: effort.toUpperCase() as ThinkingLevel };
  const thinkingBudget = Math.min(mode.max, Math.max(mode.min, budgets[effort]));
  // With a budget of 0, the service refuses a request for thoughts.
  return thinkingBudget === 0 ? { thinkingBudget } : { includeThoughts: true, thinkingBudget };
}

/** Returns the efforts that differ in effect. */
export function geminiEfforts(model: string): readonly Effort[] {
  const mode = thinkingModeOf(model);
  if (mode.by === 'none') return [];
  if (mode.by === 'level') return mode.levels;
  return effortLevels.filter((effort) => effort !== 'none' || mode.min === 0);
}

const budgets: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 512,
  low: 4_000,
  medium: 12_000,
  high: 20_000,
  xhigh: 24_000,
  max: 32_768,
};

function thinkingModeOf(model: string): ThinkingMode {
  const isFlash = model.includes('flash');
  // An id without a number, such as `gemini-flash-latest`, is treated as the newest version.
  const version = Number(
    /^gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? (model.startsWith('gemini-') ? Infinity : 0),
  );
  if (version < 2.5) return { by: 'none' };
  if (version < 3) return { by: 'budget', min: isFlash ? 0 : 128, max: isFlash ? 24_576 : 32_768 };
  const hasMinimal = isFlash && (version < 3.7 || (version < Infinity && model.includes('lite')));
  return { by: 'level', levels: hasMinimal ? ['minimal', ...levelsFromLow] : levelsFromLow };
}
