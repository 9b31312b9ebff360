/** Finds a target that a message of the user states beside the target of the session. */
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
  const stated =
    readTarget(message) ?? readTarget(message.replace(bareBound, `${inForce.objective.metric} `));
  const isOther = stated?.conditions.some(
    (one) => !inForce.conditions.some((known) => isSameBound(one, known)),
  );
  return isOther === true ? stated : undefined;
}
