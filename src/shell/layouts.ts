/** Checks the order of commands, operators and keywords, which the grammar does not. */
import type { ShellLayout } from './shellCommand.ts';

/** Operators and keywords after which a shell expects a command. */
const needsCommand = /^(?:[!{(]|&&|\|\|?|\|&|if|then|elif|else|while|until|do)$/;
/** Operators and keywords before which a shell expects a command. */
const endsCommand = /^(?:;|&&|\|\|?|\|&|then|elif|else|do|fi|done|[})])$/;

/** Returns true if no command is missing, as one is in `{ }` and `then fi`. */
export function hasCommands(layout: ShellLayout): boolean {
  const items = layout.filter((item) => item !== '\n');
  return items.every((item, at) => {
    const before = items[at - 1];
    const isOpen = typeof before === 'string' && needsCommand.test(before);
    return !isOpen || typeof item !== 'string' || !endsCommand.test(item);
  });
}
