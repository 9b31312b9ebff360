/** `/machines` and `/machine add|rm|test` in the chat. */
import type { ChatResponseStream } from 'vscode';
import { systemClock } from '../base/clock.ts';
import { describeWithin } from '../machines/describeWithin.ts';
import type { Machine } from '../machines/machine.ts';
import { sshAliases } from '../machines/sshAliases.ts';
import { run } from './commandRegistry.ts';
import { removeById } from './commands/machines.ts';
import { showButton } from './chatStream.ts';
import type { Parts } from './parts.ts';
import { parseMachineWords } from './present/machineWords.ts';
import { plain } from './present/words.ts';

type MachineParts = Pick<Parts, 'host' | 'questions'>;

/** Rejects with `UserFacing`. */
export async function answerAboutMachines(
  parts: MachineParts,
  text: string,
  stream: ChatResponseStream,
): Promise<void> {
  const wanted = parseMachineWords(text, await sshAliases());
  const { machines } = await parts.host.get();
  switch (wanted.action) {
    case 'list':
      return showMachines(parts, stream);
    case 'add':
      await machines.add(wanted.entry);
      stream.markdown(`Added ${plain(wanted.entry.id)}. The agent knows it from now on.`);
      showButton(stream, 'helios.testMachine', 'Test', wanted.entry.id);
      return;
    case 'rm':
      await removeById(parts, wanted.id);
      stream.markdown(`Removed ${plain(wanted.id)} from the list.`);
      return;
    case 'test':
      machines.get(wanted.id);
      void run('helios.testMachine', wanted.id);
      stream.markdown(`Connecting to ${plain(wanted.id)}.`);
  }
}

/** Asks nobody anything: a machine that was never used is listed as such. */
export async function showMachines({ host }: MachineParts, stream: ChatResponseStream): Promise<void> {
  const { machines } = await host.get();
  const row = async (machine: Machine): Promise<string> => {
    const { id, kind } = machine;
    const isUnused = machines.status(id).kind === 'unused';
    const told = isUnused ? { description: 'not used yet' } : await describeWithin(machine, systemClock);
    const [state, about] = 'description' in told ? ['', told.description] : ['unreachable', told.problem];
    return `| ${plain(id)} | ${kind} | ${plain([state, about].filter(Boolean).join(': '), 200)} |`;
  };
  const rows = await Promise.all(machines.list().map(row));
  stream.markdown(`| machine | kind | |\n| --- | --- | --- |\n${rows.join('\n')}\n\n`);
  for (const problem of machines.problems) stream.markdown(`${plain(problem, 400)}\n\n`);
  showButton(stream, 'helios.addMachine', 'Add Machine');
}
