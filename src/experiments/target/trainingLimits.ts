/**
 * Reads from a goal how long each run may train (`at most 3 epochs per run`), and finds runs that
 * trained longer, or whose command asks for more. What is not certain is left out.
 */
import type { MetricSummary } from '../../metrics/metric.ts';
import type { CommandForm } from '../commandForm.ts';
import { summaryFor } from '../ledger.ts';
import { settingForm } from '../seeds.ts';
import { readableGoal } from './wordings.ts';

/** The counter that is read from runs if the goal limits their epochs. */
export const countedEpochs = 'epoch';

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

/** A run: its command, and the metrics that were read from it. */
export interface TrainingRun {
  readonly launched: Parameters<typeof settingForm>[0];
  readonly metrics?: readonly MetricSummary[] | undefined;
}

/** Verdict on the training of a run, with its reason. */
export interface TrainingVerdict {
  readonly isOver: boolean;
  readonly why: string;
}

/**
 * Returns whether the run breaks a limit: `it printed epoch 13, and the goal allows at most 12`; or
 * that it stopped within the limit that its command exceeds. The epochs that it printed decide before
 * its command. Returns `undefined` if nothing certain is above a limit.
 */
export function judgeTraining(
  limits: readonly TrainingLimit[],
  { launched, metrics = [] }: TrainingRun,
): TrainingVerdict | undefined {
  if (limits.length === 0) return undefined;
  const { settings, programs } = settingForm(launched);
  if ([...settings.keys()].some((name) => continues.test(name))) return undefined;
  for (const { unit, max } of limits) {
    const printed = unit === 'epochs' ? (summaryFor(metrics, countedEpochs)?.max ?? NaN) : NaN;
    const allowed = `and the goal allows at most ${max}`;
    if (printed > max) return { isOver: true, why: `it printed epoch ${printed}, ${allowed}` };
    const asked = programs.length === 1 ? askedAmount(settings, unit) : NaN;
    if (!(asked > max)) continue;
    const why = `its command asks for ${asked} ${unit}`;
    return printed <= max
      ? { isOver: false, why: `${why}, but it printed no epoch above ${printed}` }
      : { isOver: true, why: `${why}, ${allowed}` };
  }
  return undefined;
}

/** Returns the amount of training in the settings of a command; NaN if it is not certain. */
function askedAmount(settings: CommandForm['settings'], unit: TrainingLimit['unit']): number {
  const [value = NaN, ...others] = [...settings]
    .filter(([name]) => options[unit].test((name.split('.').at(-1) ?? '').replaceAll('_', '-')))
    .map(([, text]) => Number(text || NaN));
  return others.length === 0 ? value : NaN;
}
