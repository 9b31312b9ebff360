/**
 * `/machines` and `/machine add|import|rm|test` in the chat, with the same syntax as in the
 * terminal.
 */
import { homedir } from 'node:os';
import { workspace, type ChatResponseStream } from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { planImport } from '../../compose/importHosts.ts';
import { localPathFrom } from '../../compose/localPath.ts';
import { reportMachines } from '../../presentation/machines/machineReport.ts';
import { aliasesOf, sshHosts } from '../../compose/sshHosts.ts';
import { run } from '../ui/commandRegistry.ts';
import type { MachineDeps } from '../machines/machineCommands.ts';
import { showButton } from './chatStream.ts';
import { machineLines } from '../machines/machineLines.ts';
import { plain } from '../../base/markdown.ts';

type AskingDeps = Pick<MachineDeps, 'host' | 'questions'>;

/** Handles `/machine`. Rejects with `UserFacing`, for example for invalid arguments. */
export async function answerAboutMachines(
  deps: AskingDeps,
  text: string,
  stream: ChatResponseStream,
): Promise<void> {
  const hosts = await sshHosts();
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath ?? homedir();
  const context = { aliases: aliasesOf(hosts), localPath: localPathFrom(folder, homedir()) };
  const { readMachineWords, splitArguments } =
    await import('../../presentation/machines/machineWords.ts');
  const command = readMachineWords(splitArguments(text), context);
  const { machines } = await deps.host.get();
  switch (command.action) {
    case 'list':
      return showMachines(deps, stream);
    case 'add':
      await machines.add(command.entry);
      stream.markdown(`Added ${plain(command.entry.id)}. The agent can use it from now on.`);
      showButton(stream, 'helios.testMachine', 'Test', command.entry.id);
      return;
    case 'import': {
      const { entries, summary } = planImport(hosts, machines.entries(), command.names);
      await machines.add(...entries);
      stream.markdown(plain(summary, 1_000));
      return;
    }
    case 'rm': {
      const { removeById } = await import('../machines/machineCommands.ts');
      await removeById(deps, command.id);
      stream.markdown(`Removed ${plain(command.id)} from the list of machines.`);
      return;
    }
    case 'test':
      machines.get(command.id);
      void run('helios.testMachine', command.id);
      stream.markdown(`Connecting to ${plain(command.id)}.`);
  }
}

/** Lists the machines. Does not connect to machines that have not been used yet. */
export async function showMachines(
  { host }: AskingDeps,
  stream: ChatResponseStream,
): Promise<void> {
  const { machines, resources } = await host.get();
  const deps = { machines, resources, clock: systemClock };
  stream.markdown(machineLines(await reportMachines(deps, { isConnecting: false })));
  for (const problem of machines.problems) stream.markdown(`${plain(problem, 400)}\n\n`);
  showButton(stream, 'helios.addMachine', 'Add Machine');
}
