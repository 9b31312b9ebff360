/** Discards what was typed before a question, so that old input is not taken for the answer. */
import type { TerminalInput } from '../cliDeps.ts';

/**
 * Resolves when everything that was typed before the call is discarded. Does nothing if stdin is no
 * terminal.
 */
export async function dropTyped(stdin: TerminalInput): Promise<void> {
  if (stdin.isTTY !== true) return;
  let isGone = false;
  const drop = (): void => {
    isGone = false;
  };
  // In raw mode, an unfinished line is discarded, too. Otherwise, the terminal would deliver the
  // line later.
  stdin.setRawMode?.(true);
  stdin.on('data', drop);
  stdin.resume();
  while (!isGone) {
    isGone = true;
    // Text that was typed before arrives in the first full turn of the event loop.
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
  }
  stdin.off('data', drop);
  stdin.pause();
  stdin.setRawMode?.(false);
}
