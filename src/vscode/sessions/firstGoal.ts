/** Asks for the permission mode when the first goal starts in a folder. */
import type { Clock } from '../../base/clock.ts';
import type { FolderChoice, FolderChoices } from '../../project/folderChoices.ts';

export interface FirstGoalOptions {
  readonly choices: Pick<FolderChoices, 'read' | 'choose'>;
  readonly clock: Clock;
  /** Time after which the question is withdrawn. */
  readonly limitMs: number;
  /**
   * Asks the user. Resolves with an empty choice if the user closes the question or the signal
   * aborts, and with `later` to ask again when the next goal starts.
   */
  ask(signal: AbortSignal): Promise<FolderChoice | 'later'>;
}

/**
 * Asks, unless the user was asked before or the choices cannot be read. Stores the choice and
 * resolves when the goal can start. Rejects with `UserFacing` if the choice cannot be stored.
 */
export async function askOnce(
  folder: string,
  { choices, clock, limitMs, ask }: FirstGoalOptions,
): Promise<void> {
  const { choice, problem } = choices.read(folder);
  if (choice !== undefined || problem !== undefined) return;
  const abort = new AbortController();
  const limit = clock.after(limitMs, () => abort.abort());
  try {
    const answer = await ask(abort.signal);
    if (answer !== 'later') await choices.choose(folder, answer);
  } finally {
    limit.dispose();
  }
}
