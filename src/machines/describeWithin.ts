import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import { formatDuration } from '../base/text.ts';
import type { Machine } from './machine.ts';

/** Time limit for the description of a machine. */
const answerMs = 2_000;
/**
 * The same for this computer. Longer, because this computer is always reachable, but its drivers
 * may be slow to wake.
 */
const localAnswerMs = 10_000;

type Description = { readonly description: string } | { readonly problem: string };

/**
 * Resolves with the machine's description or, if there is none, with the reason. Takes at most two
 * seconds (ten for this computer). Never rejects.
 */
export async function describeWithin(machine: Machine, clock: Clock): Promise<Description> {
  const timeoutMs = machine.kind === 'local' ? localAnswerMs : answerMs;
  const late = Promise.withResolvers<Description>();
  const timer = clock.after(timeoutMs, () =>
    late.resolve({ problem: `no answer within ${formatDuration(timeoutMs)}; it may still come` }),
  );
  const asked = ask(machine).then(
    (description) => ({ description }),
    (error: unknown) => ({ problem: messageOf(error) }),
  );
  return Promise.race([asked, late.promise]).finally(() => timer.dispose());
}

/**
 * Reads the description. `describe` may be cached, so `stat` first proves that the machine is
 * reachable.
 */
async function ask(machine: Machine): Promise<string> {
  if (machine.kind !== 'local') await machine.stat('/');
  return machine.describe();
}
