import type { Clock } from '../base/clock.ts';
import { adviceOf } from '../base/errors.ts';
import { formatDuration } from '../base/text.ts';
import type { Machine } from './machine.ts';

/** Time limit for the description of a machine. */
const answerMs = 2_000;
/**
 * Time limit for the description of this computer. Longer, because this computer is always
 * reachable, but the driver of an idle GPU may respond slowly.
 */
const localAnswerMs = 10_000;

type Description = { readonly description: string } | { readonly problem: string };

/**
 * Resolves with the machine's description or, if the machine does not answer, with the reason.
 * Takes at most two seconds (ten for this computer). Never rejects.
 * Nothing in the answer is marked as text of others.
 */
export async function describeWithin(machine: Machine, clock: Clock): Promise<Description> {
  const timeoutMs = machine.kind === 'local' ? localAnswerMs : answerMs;
  const timeout = Promise.withResolvers<Description>();
  const timer = clock.after(timeoutMs, () =>
    timeout.resolve({
      problem: `no answer within ${formatDuration(timeoutMs)}; the machine may still answer`,
    }),
  );
  const answer = ask(machine).then(
    (description) => ({ description }),
    (error: unknown) => ({ problem: adviceOf(error) }),
  );
  return Promise.race([answer, timeout.promise]).finally(() => timer.dispose());
}

/**
 * Reads the description. `describe` may be cached, so `stat` first proves that the machine is
 * reachable.
 */
async function ask(machine: Machine): Promise<string> {
  if (machine.kind !== 'local') await machine.stat('/');
  return machine.describe();
}
