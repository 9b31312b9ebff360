/** Registers all commands with typed ids. If a command fails, the error is shown to the user. */
import { commands, env, Uri, window, type Disposable } from 'vscode';
import { adviceOf, messageOf, UserFacing } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { itemCommands, paletteCommands, type CommandId } from './contributions.ts';
import { noMachine } from './noMachine.ts';
import { manageTrust } from './trust.ts';

export type Handler = (...args: readonly unknown[]) => unknown;
/**
 * Handlers of some of the commands. Declared with `{ … } satisfies Handlers`, so that the compiler
 * knows for which commands.
 */
export type Handlers = Partial<AllHandlers>;
export type AllHandlers = Readonly<Record<CommandId, Handler>>;

/**
 * Registers the commands. `load` resolves with the handlers of all commands, and is called whenever
 * a command is executed.
 */
export function registerCommands(load: () => Promise<AllHandlers>, logger: Logger): Disposable[] {
  return [...paletteCommands, ...itemCommands].map((id) =>
    commands.registerCommand(id, async (...args: unknown[]) => {
      try {
        await (await load())[id](...args);
      } catch (error) {
        tell(error, logger);
      }
    }),
  );
}

export const run = (id: CommandId, ...args: readonly unknown[]): Thenable<unknown> =>
  commands.executeCommand(id, ...args);

/** Shows an error to the user, with its advice. Logs an internal error too. */
export function tell(error: unknown, logger: Logger): void {
  if (error instanceof UserFacing) {
    void showToUser(error);
    return;
  }
  logger.error(error instanceof Error ? error : messageOf(error));
  void window.showErrorMessage(`Helios: ${adviceOf(error)}`, 'Show Output').then((choice) => {
    if (choice !== undefined) void run('helios.showOutput');
  });
}

async function showToUser(error: UserFacing): Promise<void> {
  if (error.reason === 'no_machine') return offerMachines();
  if (error.reason !== 'not_trusted') {
    await window.showErrorMessage(adviceOf(error));
    return;
  }
  const choice = await window.showWarningMessage(error.message, manageTrust.title);
  if (choice !== undefined) await commands.executeCommand(manageTrust.command);
}

/** Says that no command can run here, and offers ways to a machine on which commands can run. */
export async function offerMachines(): Promise<void> {
  const titles = noMachine.buttons.map(({ title }) => title);
  const choice = await window.showErrorMessage(noMachine.markdown, ...titles);
  const chosen = noMachine.buttons.find(({ title }) => title === choice);
  if (chosen !== undefined) await run(chosen.command);
}

export const copyText = (text: string): Thenable<void> => env.clipboard.writeText(text);

export const openFile = (path: string): Thenable<unknown> =>
  commands.executeCommand('vscode.open', Uri.file(path));
