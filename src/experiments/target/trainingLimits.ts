/**
 * Reads from a goal how long each run may train (`at most 3 epochs per run`), and finds runs whose
 * command asks for more. What is not certain is left out.
 */
import { settingForm } from '../seeds.ts';
import { readableGoal } from './wordings.ts';

export interface TrainingLimit {
  readonly unit: 'epochs' | 'steps';
  readonly max: number;
}

const limit = new RegExp(
  String.raw`(?<![\p{L}\d])(?:(?<most>at\s+most|no\s+more\s+than|not\s+more\s+than|up\s+to|(?:a\s+)?maximum(?:\s+of)?|max\.?|höchstens|maximal|nicht\s+mehr\s+als)|fewer\s+than|less\s+than|under|weniger\s+als|unter)\s+(?<number>\d{1,3}(?:,\d{3})+|\d+)\s+(?<training>(?:training|optimi[sz]er|gradient)\s+)?(?:(?<epochs>epochs?|epochen?)|steps|schritten?)(?<run>\s+(?:(?:per|for\s+each|in\s+each|each|pro|je)\s+(?:training\s+)?(?:run|lauf)|a\s+run|each))?(?=\s*(?:$|[.,;:!?)]|\s(?:and|but|und|aber)\s))`,
  'giu',
);
/** Words of the same clause that make the meaning uncertain. */
const uncertain =
  /(?<!\p{L})(?:warm\p{L}*|patience|fr(?:ee|o)z\p{L}*|every|after|last|first|if|when|than|decay\p{L}*|total|overall|altogether|across|budget|not|never|every|plot\p{L}*|log\p{L}*|eval\p{L}*|insgesamt|wenn|falls|nach|alle)(?!\p{L})/iu;
const clauseBefore = /[^.;,:\n]{0,60}$/u;

/** Returns the limits that the goal certainly states. */
export function readTrainingLimits(goal: string): readonly TrainingLimit[] {
  const text = readableGoal(goal);
  const found = [...text.matchAll(limit)].flatMap((match): TrainingLimit[] => {
    const { most, number = '', training, epochs, run } = match.groups ?? {};
    const before = clauseBefore.exec(text.slice(0, match.index))?.[0] ?? '';
    if (uncertain.test(before)) return [];
    // Steps may also be those of a plan or of the agent.
    if (epochs === undefined && training === undefined && run === undefined) return [];
    const value = Number(number.replaceAll(',', ''));
    const unit = epochs === undefined ? 'steps' : 'epochs';
    return [{ unit, max: most === undefined ? value - 1 : value }];
  });
  // With another number in the goal, it is not certain which one is for each run.
  const all = [...text.matchAll(amount)].map(({ groups = {} }) => groups['number']);
  return new Set(all).size > 1 ? [] : found.slice(0, 1);
}

const amount =
  /(?<![\p{L}\d_.,-])(?<number>\d[\d,]*)[\s-]+(?:\p{L}+\s+)?(?:epochs?|epochen?|steps?|schritten?)(?!\p{L})/giu;

const options: Readonly<Record<TrainingLimit['unit'], RegExp>> = {
  epochs: /^(?:(?:max|num|n|train|training|num-train)-)?epochs$/,
  steps: /^(?:(?:max|num|n|train|training|num-train|max-train)-)?steps$/,
};
/** Options of a run that continues an earlier training, of which it makes only the rest. */
const continues = /(?:resume|restart|start|initial|init|from|checkpoint|ckpt)/i;

/**
 * Returns why the command breaks a limit: `its command asks for 5 epochs, and the goal allows at most
 * 3`; `undefined` if it does not certainly do so.
 */
export function overTrainingLimit(
  limits: readonly TrainingLimit[],
  launched: Parameters<typeof settingForm>[0],
): string | undefined {
  if (limits.length === 0) return undefined;
  const { settings, programs } = settingForm(launched);
  if (programs.length !== 1 || [...settings.keys()].some((name) => continues.test(name)))
    return undefined;
  for (const { unit, max } of limits) {
    const asked = [...settings].filter(([name]) =>
      options[unit].test((name.split('.').at(-1) ?? '').replaceAll('_', '-')),
    );
    const [value = NaN, ...others] = asked.map(([, text]) => Number(text || NaN));
    if (value > max && others.length === 0)
      return `its command asks for ${value} ${unit}, and the goal allows at most ${max}`;
  }
  return undefined;
}
