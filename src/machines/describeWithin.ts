import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import { formatDuration } from '../base/text.ts';
import type { Machine } from './machine.ts';

/** How long a list of machines waits for one of them. */
const answerMs = 2_000;
/** This computer is always there; its drivers may be slow to wake. */
const localAnswerMs = 10_000;

type Description = { readonly description: string } | { readonly problem: string };

/**
 * What the machine says of itself, or why that is not known, after two seconds at the latest. Never
 * rejects.
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

/** A machine may know its description by heart: whether it is there, only an answer tells. */
async function ask(machine: Machine): Promise<string> {
  if (machine.kind !== 'local') await machine.stat('/');
  return machine.describe();
}
