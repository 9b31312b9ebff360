/** Finds a target that a message of the user states beside the target of the session. */
import { isSameMetric } from '../../metrics/metricName.ts';
import { withMetricOfDistances } from './baselineFactors.ts';
import { readTarget } from './readTarget.ts';
import {
  isLimit,
  isLowerBetter,
  isOpen,
  isSameBound,
  type Condition,
  type Target,
} from './target.ts';

/**
 * Matches a number to get to that stands without the name of a metric: `get above 0.99`. A whole
 * number may be an amount, so it needs a percent sign.
 */
const bareBound =
  /(?<=\b(?:get|go|gets|stay|come|be|it|reach|achieve)\s+)(?=(?:to\s+|at\s+least\s+|above\s+|over\s+|below\s+|under\s+|beyond\s+|[<>]=?\s*)?(?:\d*\.\d+|\d+\s*%))/i;

/**
 * Returns the target in force with what the message changes, if one of the conditions that it states
 * is not among those in force. A number without a metric counts for the metric of the target in
 * force.
 */
export function otherTarget(message: string, inForce: Target): Target | undefined {
  const { metric } = inForce.objective;
  const texts = [
    message,
    message.replace(bareBound, `${metric} `),
    withMetricOfDistances(message, metric),
  ];
  const isOther = ({ conditions }: Target): boolean =>
    conditions.some((one) => !inForce.conditions.some((known) => isSameBound(one, known)));
  for (const text of texts) {
    const stated = readTarget(text);
    if (stated !== undefined && stated.conditions.length > 0)
      return isOther(stated) ? merged(inForce, stated) : undefined;
  }
  return undefined;
}

/**
 * Returns the target in force with the stated conditions in place of those on the same metrics, over
 * the same runs where the message names none.
 */
function merged(inForce: Target, { conditions: stated, rule }: Target): Target {
  const runs = runsOf(inForce);
  const conditions = [...inForce.conditions];
  for (const one of stated) {
    const index = conditions.findIndex((known) => isOnSame(known, one));
    const known = conditions[index];
    const over = one.over !== undefined || isLimit(one) ? {} : known ? runsIn(known) : runs;
    const next = { ...one, ...over, metric: known?.metric ?? one.metric };
    conditions.splice(index < 0 ? conditions.length : index, 1, next);
  }
  const { repeats: _, ...rest } = inForce;
  conditions.sort((a, b) => Number(isLimit(a)) - Number(isLimit(b)));
  const target = { ...rest, conditions, rule: rule === 'best' ? rule : inForce.rule };
  return isOpen(target) ? { ...inForce, ...target } : target;
}

const isOnSame = (known: Condition, one: Condition): boolean =>
  isSameMetric(known.metric, one.metric) &&
  isLowerBetter(known.comparator) === isLowerBetter(one.comparator);

type Runs = Pick<Condition, 'over' | 'seeds' | 'seedCount'>;

const runsIn = ({ over, seeds, seedCount }: Condition): Runs => ({
  ...(over !== undefined && { over }),
  ...(seeds !== undefined && { seeds }),
  ...(seedCount !== undefined && { seedCount }),
});

/** Returns the runs over which the target in force is judged; none if one run suffices. */
function runsOf({ conditions, repeats }: Target): Runs {
  const shared = conditions.find(({ over }) => over !== undefined);
  if (shared !== undefined) return runsIn(shared);
  return repeats === undefined ? {} : { over: 'mean', ...repeats };
}
