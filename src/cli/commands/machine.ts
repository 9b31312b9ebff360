import { defineCommand } from '../command.ts';
import { machineArguments } from '../machines/machineArguments.ts';
import { runMachineCommand } from '../machines/machineCommands.ts';
import { machineHelp } from '../machines/machineHelp.ts';

export const machineCommand = defineCommand({
  name: 'machine',
  otherNames: ['machines'],
  usage: 'add|rm|test|import',
  about: 'machines that runs can go to; `helios machines` lists them, and whether they answer (--json)',
  help: machineHelp,
  needsWords: ['machine'],
  parse: machineArguments,
  run: (parsed, { home, world }) => runMachineCommand(parsed, home, world),
});
