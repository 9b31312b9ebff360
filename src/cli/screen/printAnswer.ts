/** One answer of the model, without a session and without tools. */
import type { Effort, ModelProvider } from '../../models/model.ts';
import { UserFacing } from '../../base/errors.ts';
import { cleanText } from '../../base/text.ts';
import { exitCodes, type CliWorld } from '../world.ts';

const system = { text: 'Answer briefly and plainly. You have no tools here.', isStable: true };

/** The exit code. The text goes to stdout as it comes. */
export async function printAnswer(
  provider: ModelProvider,
  question: { readonly text: string; readonly model: string; readonly effort: Effort | undefined },
  world: CliWorld,
): Promise<number> {
  const abort = new AbortController();
  const interrupt = world.onInterrupt(() => abort.abort());
  const request = {
    model: question.model,
    system: [system],
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: question.text }] }],
    tools: [],
    ...(question.effort !== undefined && { effort: question.effort }),
  };
  try {
    for await (const event of provider.stream(request, abort.signal)) {
      if (event.type === 'text.delta') world.stdout.write(cleanText(event.text));
      if (event.type === 'attempt.discarded') world.stderr.write(`${event.failure.message} Trying again.\n`);
      if (event.type !== 'finished') continue;
      world.stdout.write('\n');
      if (event.reply.stop === 'aborted') return exitCodes.interrupted;
      if (event.reply.failure !== undefined) throw new UserFacing(event.reply.failure.message);
      return exitCodes.goal;
    }
  } finally {
    interrupt.dispose();
  }
  throw new UserFacing('The model gave no answer.');
}
