/** `/budget` in the chat: shows or sets the limits of a session. */
import type { ChatResponseStream } from 'vscode';
import type { Engine } from '../../agent/contract/engine.ts';
import type { Session } from '../../agent/contract/sessions.ts';
import { budgetText, parseBudget } from '../../presentation/limits.ts';
import { UserFacing } from '../../base/errors.ts';
import { plain } from '../../base/markdown.ts';

const example =
  'Examples: `/budget $10, 4 h, $0.50 per experiment` sets limits, `/budget none` removes them.';

/**
 * Shows the limits of the session or, with a prompt, sets them. Resolves with true if the session
 * had ended because of its limits and can now continue. Rejects with `UserFacing` for invalid
 * limits, or if there is no session.
 */
export async function answerBudget(
  session: Session | undefined,
  prompt: string,
  { engine, stream }: { readonly engine: Engine; readonly stream: ChatResponseStream },
): Promise<boolean> {
  if (session === undefined)
    throw new UserFacing('No session is open in this window.', 'Start a goal first.');
  if (prompt.trim() === '') {
    stream.markdown(`The limits are ${plain(budgetText(session.state.budget))}. ${example}\n\n`);
    return false;
  }
  const parsed = parseBudget(prompt);
  if (!parsed.ok) throw new UserFacing(parsed.problem);
  await engine.sessions.resume(session.id, { budget: parsed.budget });
  stream.markdown(`The limits are now ${plain(budgetText(parsed.budget))}.\n\n`);
  return session.state.end?.reason === 'budget';
}
