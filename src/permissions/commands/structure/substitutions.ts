/** Finds the commands in the words of a command. */
import type { ShellCommand, ShellLayout } from '../../../shell/shellCommand.ts';

/** Returns the commands in each substitution of a command, also in its lists and arithmetic. */
export function layoutsIn(command: ShellCommand): readonly ShellLayout[] {
  const { words, assignments, redirections, here } = command;
  const all = [...words, ...assignments, ...redirections.map(({ target }) => target), here];
  const parts = all
    .flatMap((word) => word?.parts ?? [])
    .flatMap((part) =>
      part.kind === 'list' ? part.words.flatMap((word) => word.parts ?? []) : [part],
    );
  return parts
    .flatMap((part) => (part.kind === 'arithmetic' ? part.items : [part]))
    .flatMap((part) => (typeof part === 'object' && part.kind === 'commands' ? [part.layout] : []));
}
