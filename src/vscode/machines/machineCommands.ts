/** Commands on machines: add, remove, test, edit, a terminal, a window. */
import type { MachineQuestions } from './machineQuestions.ts';
import { homedir } from 'node:os';
import {
  commands,
  env,
  extensions,
  ProgressLocation,
  Range,
  Uri,
  window,
  workspace,
  type TextDocumentShowOptions,
} from 'vscode';
import type { Engine } from '../../agent/contract/engine.ts';
import { messageOf, UserFacing } from '../../base/errors.ts';
import type { MachineEntry } from '../../machines/machineEntry.ts';
import { entryText, hasHost, localId } from '../../presentation/machines/machineText.ts';
import { lineOfMachine, expandHome } from '../../compose/machineFile.ts';
import { askHosts, askMachines, type AskedMachines } from './addMachine.ts';
import { run, type Handlers } from '../ui/commandRegistry.ts';
import { showMachineTerminal } from './machineTerminal.ts';
import type { Parts } from '../window/parts.ts';
import { machineIdOf } from '../ui/commandTarget.ts';
import { remoteAuthority } from './machineLabels.ts';

export type MachineParts = Parts & { readonly questions: MachineQuestions };

export function machineCommands(parts: MachineParts): Handlers {
  return {
    'helios.addMachine': () => addMachine(parts),
    'helios.importMachines': () => importMachines(parts),
    'helios.removeMachine': (argument) => removeMachine(parts, argument),
    'helios.testMachine': async (argument) => {
      const id = await pickMachine(parts, argument, 'Test which machine?');
      if (id !== undefined) await testMachine(parts, id);
    },
    'helios.editMachines': (argument) => editMachines(parts, argument),
    'helios.openMachineTerminal': (argument) => openTerminal(parts, argument),
    'helios.openMachineWindow': (argument) => openWindow(parts, argument),
  };
}

const addMachine = async (parts: MachineParts): Promise<void> =>
  add(parts, await askMachines((await parts.host.get()).machines));

const importMachines = async (parts: MachineParts): Promise<void> =>
  add(parts, await askHosts((await parts.host.get()).machines));

async function add(parts: MachineParts, asked: AskedMachines | undefined): Promise<void> {
  if (asked === undefined) return;
  const { machines } = await parts.host.get();
  await machines.add(...asked.entries);
  const [entry] = asked.entries;
  if (asked.summary !== undefined) void window.showInformationMessage(asked.summary);
  else if (entry !== undefined) await testMachine(parts, entry.id);
}

/** Connects at once, whatever was the case before, and says what was found. */
async function testMachine(parts: MachineParts, id: string): Promise<void> {
  const machine = (await parts.host.get()).machines.get(id);
  try {
    const about = await connect(id, async () => {
      await machine.ready?.({ isAnew: true });
      await machine.stat('/');
      return machine.describe();
    });
    void window.showInformationMessage(`${id} answers: ${about ?? ''}.`);
  } catch (error) {
    const choice = await window.showWarningMessage(
      `${id} cannot be used: ${messageOf(error)}`,
      'Try Again',
      'Edit machines.json',
    );
    if (choice === 'Try Again') await run('helios.testMachine', id);
    if (choice === 'Edit machines.json') await run('helios.editMachines', id);
  }
}

async function removeMachine(parts: MachineParts, argument: unknown): Promise<void> {
  const id = await pickMachine(parts, argument, 'Remove which machine?', isRemote);
  if (id === undefined) return;
  const choices = [
    { label: `Remove ${id}`, detail: 'From the list only; nothing on the machine is touched.' },
    { label: 'Keep it' },
  ];
  if ((await window.showQuickPick(choices, { title: `Remove ${id}?` })) !== choices[0]) return;
  await removeById(parts, id);
}

export async function removeById(parts: Pick<MachineParts, 'host' | 'questions'>, id: string): Promise<void> {
  await (await parts.host.get()).machines.remove(id);
  await parts.questions.secrets.forget(id);
}

/** At the entry of the machine, where one is named. */
async function editMachines({ host }: MachineParts, argument: unknown): Promise<void> {
  const file = await (await host.get()).machines.ensureFile();
  const id = machineIdOf(argument);
  const document = await workspace.openTextDocument(Uri.file(file));
  const line = id === undefined ? undefined : lineOfMachine(document.getText(), id);
  const options: TextDocumentShowOptions = { preview: false };
  if (line !== undefined) {
    const { firstNonWhitespaceCharacterIndex: column } = document.lineAt(line - 1);
    options.selection = new Range(line - 1, column, line - 1, column);
  }
  await window.showTextDocument(document, options);
}

async function openTerminal(parts: MachineParts, argument: unknown): Promise<void> {
  const id = await pickMachine(parts, argument, 'A terminal on which machine?');
  if (id === undefined) return;
  const { machines, home } = await parts.host.get();
  const entry = id === localId ? undefined : entryOf(machines, id);
  // A container is made when it is used first; `ssh` finds its way alone.
  if (entry?.kind === 'container') await connect(id, () => machines.get(id).ready?.({ mayAsk: true }));
  showMachineTerminal(id, entry, { homeFolder: home, expand: (path) => expandHome(path, homedir()) });
}

const connect = <T>(id: string, work: () => Promise<T> | undefined): Thenable<T | undefined> =>
  window.withProgress({ location: ProgressLocation.Notification, title: `Helios: connecting to ${id}` }, async () =>
    work(),
  );

const remoteExtensions = ['ms-vscode-remote.remote-ssh', 'jeanp413.open-remote-ssh'];

async function openWindow(parts: MachineParts, argument: unknown): Promise<void> {
  const id = await pickMachine(parts, argument, 'A window on which machine?', isHost);
  if (id === undefined) return;
  const entry = entryOf((await parts.host.get()).machines, id);
  if (!hasHost(entry)) throw new UserFacing(`${id} is on this computer.`, 'Choose a machine with a host of its own.');
  if (env.remoteName !== undefined)
    throw new UserFacing('This window is a remote one already.', `Open ${id} from a window on your own computer.`);
  if (!remoteExtensions.some((name) => extensions.getExtension(name) !== undefined))
    throw new UserFacing('Windows on other hosts need the extension Remote - SSH.', 'Install it, then try again.');
  await commands.executeCommand('vscode.newWindow', { remoteAuthority: remoteAuthority(entry), reuseWindow: false });
}

/** `undefined` is this computer. */
type Wanted = (entry: MachineEntry | undefined) => boolean;
const isRemote: Wanted = (entry) => entry !== undefined;
const isHost: Wanted = (entry) => entry !== undefined && hasHost(entry);
/** Rejects with `UserFacing` when there is none to choose from. */
async function pickMachine(
  { host }: MachineParts,
  argument: unknown,
  title: string,
  isWanted: Wanted = () => true,
): Promise<string | undefined> {
  const { machines } = await host.get();
  const named = machineIdOf(argument);
  if (named !== undefined) return named;
  const choices = machines
    .list()
    .map(({ id }) => ({ id, entry: machines.entries().find((each) => each.id === id) }))
    .filter(({ entry }) => isWanted(entry))
    .map(({ id, entry }) => ({ label: id, description: entry === undefined ? 'this computer' : entryText(entry) }));
  if (choices.length === 0)
    throw new UserFacing('There is no such machine yet.', 'Add one with “Helios: Add Machine”.');
  return (await window.showQuickPick(choices, { title, matchOnDescription: true }))?.label;
}

function entryOf(machines: Engine['machines'], id: string): MachineEntry {
  const entry = machines.entries().find((each) => each.id === id);
  if (entry !== undefined) return entry;
  throw new UserFacing(`${id} is not a machine of the list.`, 'Add it with “Helios: Add Machine”.');
}
