/** What is shown in place of a goal if no command can run: on Windows, without another machine. */
import type { CommandId } from './contributions.ts';

export const noMachine = {
  markdown:
    'Commands cannot run on Windows itself, and there is no other machine. Reopen the folder in WSL, add an SSH host, or use a container.',
  buttons: [
    { command: 'helios.reopenInWsl', title: 'Reopen Folder in WSL' },
    { command: 'helios.addMachine', title: 'Add Machine' },
    { command: 'helios.useContainer', title: 'Use a Container' },
  ],
} as const satisfies {
  readonly markdown: string;
  readonly buttons: readonly { readonly command: CommandId; readonly title: string }[];
};
