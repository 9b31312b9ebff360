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
import { removeById, type MachineDeps } from '../machines/machineCommands.ts';
import { showButton } from './chatStream.ts';
import { machineLines } from '../machines/machineLines.ts';
import { plain } from '../../base/markdown.ts';

type AskingDeps = Pick<MachineDeps, 'host' | 'questions'>;

/** Handles `/machine`. Rejects with `UserFacing`. */
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
  const wanted = readMachineWords(splitArguments(text), context);
  const { machines } = await deps.host.get();
  switch (wanted.action) {
    case 'list':
      return showMachines(deps, stream);
    case 'add':
      await machines.add(wanted.entry);
      stream.markdown(`Added ${plain(wanted.entry.id)}. The agent can use it from now on.`);
      showButton(stream, 'helios.testMachine', 'Test', wanted.entry.id);
      return;
    case 'import': {
      const { entries, summary } = planImport(hosts, machines.entries(), wanted.names);
      await machines.add(...entries);
      stream.markdown(plain(summary, 1_000));
      return;
    }
    case 'rm':
      await removeById(deps, wanted.id);
      stream.markdown(`Removed ${plain(wanted.id)} from the list.`);
      return;
    case 'test':
      machines.get(wanted.id);
      void run('helios.testMachine', wanted.id);
      stream.markdown(`Connecting to ${plain(wanted.id)}.`);
  }
}

/** Lists the machines without connecting to any that has not been used yet. */
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
