/** Drops what was typed before a question, so that it answers nothing. */
import type { TerminalInput } from '../cliDeps.ts';

/** Resolves when what was typed before the call is gone. Reads nothing if it is no terminal. */
export async function dropTyped(stdin: TerminalInput): Promise<void> {
  if (stdin.isTTY !== true) return;
  let isGone = false;
  const drop = (): void => {
    isGone = false;
  };
  // Otherwise, the terminal keeps a line that has not ended yet, and its end would come later.
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
