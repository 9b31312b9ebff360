import { UserFacing } from '../../base/errors.ts';
import { oneLine } from '../../base/text.ts';
import { uncheckedDemands } from './readDemands.ts';
import { readTarget } from './readTarget.ts';
import type { Target } from './target.ts';

const advice =
  'Write metrics and numbers, such as: val_loss < 0.3, mean over seeds 0-2 (best value of each run); val_loss <= 0.88 x the baseline, epoch <= 6; or: lowest test_ppl.';

/**
 * Reads a target that the user entered separately. Throws `UserFacing` if it is not understood, or
 * if one of its numbers would be left out.
 */
export function statedTarget(text: string): Target {
  const target = readTarget(text);
  if (target === undefined)
    throw new UserFacing(`The target was not understood: ${oneLine(text, 200)}.`, advice);
  const left = uncheckedDemands(text).filter((words) => /\d/.test(words));
  const isRelative = target.conditions.some((one) => one.isRelative);
  if (left.length === 0 && /\bbaseline/i.test(text) && !isRelative) left.push('baseline');
  if (left.length === 0) return target;
  throw new UserFacing(
    `A part of the target was not understood: ${oneLine(left.join('; '), 200)}.`,
    advice,
  );
}

/** Reads the target that the user entered, if any. Throws `UserFacing` as `statedTarget` does. */
export const targetIfStated = (text: string | undefined): Target | undefined =>
  text === undefined ? undefined : statedTarget(text);
