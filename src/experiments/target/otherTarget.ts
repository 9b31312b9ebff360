/** Finds a target that a message of the user states beside the target of the session. */
import { withMetricOfDistances } from './baselineFactors.ts';
import { readTarget } from './readTarget.ts';
import { isSameBound, type Target } from './target.ts';

/**
 * Matches a number to get to that stands without the name of a metric: `get above 0.99`. A whole
 * number may be an amount, so it needs a percent sign.
 */
const bareBound =
  /(?<=\b(?:get|go|gets|stay|come|be|it|reach|achieve)\s+)(?=(?:to\s+|at\s+least\s+|above\s+|over\s+|below\s+|under\s+|beyond\s+|[<>]=?\s*)?(?:\d*\.\d+|\d+\s*%))/i;

/**
 * Returns the target that the message states, if one of its conditions is not among those of the
 * target in force. A number without a metric counts for the metric of the target in force.
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
      return isOther(stated) ? stated : undefined;
  }
  return undefined;
}
