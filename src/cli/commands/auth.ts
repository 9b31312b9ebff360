import { authArguments, authHelp } from '../auth/authArguments.ts';
import { runAuthCommand } from '../auth/authCommands.ts';
import { defineCommand } from '../command.ts';

export const authCommand = defineCommand({
  name: 'auth',
  usage: 'login|logout|status',
  about: 'sign in to ChatGPT, and where the key of each provider comes from',
  help: authHelp,
  needsWords: ['auth'],
  parse: authArguments,
  run: (parsed, { home, world }) => runAuthCommand(parsed, home, world),
});
