/** Prints the answer of a read-only session (`helios --print`). */
import type { Session } from '../../agent/contract/sessions.ts';
import { UserFacing } from '../../base/errors.ts';
import { cleanText } from '../../base/text.ts';
import { retryText } from '../../presentation/sessions/retryText.ts';
import { exitCodes, type CliDeps } from '../cliDeps.ts';

/**
 * Waits for the end of the session, and prints the answer to stdout. If stdout is a terminal, also
 * prints each tool call to stderr. Resolves with the exit code. Rejects with `UserFacing` if there
 * is no answer.
 */
export async function printAnswer(
  session: Session,
  { stdout, stderr, onInterrupt }: CliDeps,
): Promise<number> {
  let isInterrupted = false;
  const interrupt = onInterrupt(() => {
    isInterrupted = true;
    void session.stop();
  });
  const toolListener = session.onDidRecord((event) => {
    if (event.type === 'tool.started' && stdout.isTTY === true)
      stderr.write(`${cleanText(event.title)}\n`);
  });
  const discardListener = session.onDidStream((event) => {
    if (event.type === 'text.discarded') stderr.write(`${cleanText(retryText(event))}\n`);
  });
  try {
    const reason = await session.ended;
    if (isInterrupted) return exitCodes.interrupted;
    const summary = session.state.end?.summary ?? '';
    if (reason !== 'answered') throw new UserFacing(summary);
    stdout.write(`${cleanText(summary)}\n`);
    return exitCodes.goal;
  } finally {
    for (const each of [interrupt, toolListener, discardListener]) each.dispose();
  }
}
