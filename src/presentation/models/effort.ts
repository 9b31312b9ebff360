/** Parses reasoning efforts, and maps them to efforts that a model supports. */
import { UserFacing } from '../../base/errors.ts';
import { effortLevels, nearestEffort, type Effort } from '../../models/effort.ts';
import type { ModelDescription } from '../../models/model.ts';
import { nearMatches } from '../../base/nearMatches.ts';

export { effortLevels };

/**
 * Parses an effort. Returns `undefined` for `default`, which means that the setting applies. Throws
 * `UserFacing` for an unknown effort.
 */
export function parseEffort(word: string): Effort | undefined {
  const name = word.trim().toLowerCase();
  if (name === 'default') return undefined;
  const level = effortLevels.find((each) => each === name);
  if (level !== undefined) return level;
  const [near] = nearMatches(name, effortLevels);
  throw new UserFacing(
    `There is no reasoning effort ${word.trim()}.${near === undefined ? '' : ` Did you mean ${near}?`}`,
    `Levels: ${effortLevels.join(', ')}, or default.`,
  );
}

export interface EffortAnswer {
  /** Effort to request from the model; `undefined`: request none. */
  readonly effort: Effort | undefined;
  /** Note for the user; set if `effort` differs from the requested effort. */
  readonly note?: string;
}

/**
 * Returns the supported effort that is nearest to the given one. For a model with unknown efforts,
 * returns the given effort.
 */
export function effortFor(
  model: Pick<ModelDescription, 'id' | 'efforts'>,
  requestedEffort: Effort,
): EffortAnswer {
  const { id, efforts } = model;
  if (efforts === undefined || efforts.includes(requestedEffort))
    return { effort: requestedEffort };
  const nearest = nearestEffort(efforts, requestedEffort);
  if (nearest === undefined)
    return { effort: undefined, note: `${id} does not support a reasoning effort; none is sent.` };
  return { effort: nearest, note: `${id} supports ${efforts.join(', ')}; ${nearest} is used.` };
}
