/** Commands on machines: add, remove, test, edit, open a terminal, open a VS Code window. */
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
import { adviceOf, UserFacing } from '../../base/errors.ts';
import type { MachineEntry } from '../../machines/machineEntry.ts';
import { entryText, hasHost, localId } from '../../presentation/machines/machineText.ts';
import {
  expandHome,
  findEngine,
  hasContainerEngine,
  lineOfMachine,
} from '../../compose/machineFile.ts';
import { askContainer, askHosts, askMachines, type AskedMachines } from './addMachine.ts';
import { run, type Handlers } from '../ui/commandRegistry.ts';
import { unattendedStep } from '../ui/contributions.ts';
import { showMachineTerminal } from './machineTerminal.ts';
import type { WindowDeps } from '../window/windowDeps.ts';
import { machineIdOf } from '../ui/commandTarget.ts';
import { remoteAuthority } from './machineLabels.ts';
import { currentPlatform } from '../../base/platform.ts';

export type MachineDeps = WindowDeps & { readonly questions: MachineQuestions };

export function machineCommands(deps: MachineDeps) {
  return {
    'helios.addMachine': () => addMachine(deps),
    'helios.importMachines': () => importMachines(deps),
    'helios.removeMachine': (argument) => removeMachine(deps, argument),
    'helios.testMachine': async (argument) => {
      const id = await pickMachine(deps, argument, 'Select a machine to test');
      if (id !== undefined) await testMachine(deps, id);
    },
    'helios.editMachines': (argument) => editMachines(deps, argument),
    'helios.openMachineTerminal': (argument) => openTerminal(deps, argument),
    'helios.openMachineWindow': (argument) => openWindow(deps, argument),
    'helios.reopenInWsl': reopenInWsl,
    'helios.useContainer': () => useContainer(deps),
  } satisfies Handlers;
}

const addMachine = async (deps: MachineDeps): Promise<void> =>
  add(deps, await askMachines((await deps.host.get()).machines));

const importMachines = async (deps: MachineDeps): Promise<void> =>
  add(deps, await askHosts((await deps.host.get()).machines));

async function add(deps: MachineDeps, additions: AskedMachines | undefined): Promise<void> {
  if (additions === undefined) return;
  const { machines } = await deps.host.get();
  await machines.add(...additions.entries);
  const [entry] = additions.entries;
  if (additions.summary !== undefined) void window.showInformationMessage(additions.summary);
  else if (entry !== undefined) await testMachine(deps, entry.id);
}

/** Connects to the machine without the delay that follows a failure, and shows the result. */
async function testMachine(deps: MachineDeps, id: string): Promise<void> {
  const machine = (await deps.host.get()).machines.get(id);
  try {
    const about = await connect(id, async () => {
      await machine.ready?.({ isAnew: true });
      await machine.stat('/');
      return machine.describe();
    });
    void window.showInformationMessage(`Connected to ${id}: ${about ?? ''}.`);
  } catch (error) {
    const choice = await window.showWarningMessage(
      `Could not connect to ${id}: ${adviceOf(error)}`,
      'Retry',
      'Edit machines.json',
    );
    if (choice === 'Retry') await run('helios.testMachine', id);
    if (choice === 'Edit machines.json') await run('helios.editMachines', id);
  }
}

async function removeMachine(deps: MachineDeps, argument: unknown): Promise<void> {
  const id = await pickMachine(deps, argument, 'Select a machine to remove', isRemote);
  if (id === undefined) return;
  const choices = [
    { label: `Remove ${id}`, detail: 'Removes it from the list; nothing on it changes.' },
    { label: 'Cancel' },
  ];
  if ((await window.showQuickPick(choices, { title: `Remove ${id}?` })) !== choices[0]) return;
  await removeById(deps, id);
}

export async function removeById(
  deps: Pick<MachineDeps, 'host' | 'questions'>,
  id: string,
): Promise<void> {
  const { machines } = await deps.host.get();
  await machines.remove(id);
  const remainingIds = machines.list().map((machine) => machine.id);
  await deps.questions.secrets.forget(id, remainingIds);
}

/** Opens `machines.json`. If the argument names a machine, selects the entry of the machine. */
async function editMachines({ host }: MachineDeps, argument: unknown): Promise<void> {
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

async function openTerminal(deps: MachineDeps, argument: unknown): Promise<void> {
  const id = await pickMachine(deps, argument, 'Select a machine for the terminal');
  if (id === undefined) return;
  const { machines, home } = await deps.host.get();
  const entry = id === localId ? undefined : entryOf(machines, id);
  // Only a container has to be made ready, because it is created on first use. For an SSH host, the
  // `ssh` command in the terminal connects by itself.
  if (entry?.kind === 'container')
    await connect(id, () => machines.get(id).ready?.({ mayAsk: true }));
  showMachineTerminal(id, entry, {
    homeFolder: home,
    platform: currentPlatform(),
    engineOf: (engine) => findEngine(engine).address,
    expand: (path) => expandHome(path, homedir()),
  });
}

const connect = <T>(id: string, work: () => Promise<T> | undefined): Thenable<T | undefined> =>
  window.withProgress(
    { location: ProgressLocation.Notification, title: `Helios: connecting to ${id}` },
    async () => work(),
  );

const remoteExtensions = ['ms-vscode-remote.remote-ssh', 'jeanp413.open-remote-ssh'];

async function openWindow(deps: MachineDeps, argument: unknown): Promise<void> {
  const id = await pickMachine(deps, argument, 'Select a machine for the window', isHost);
  if (id === undefined) return;
  const entry = entryOf((await deps.host.get()).machines, id);
  if (!hasHost(entry))
    throw new UserFacing(`${id} is on this computer.`, 'Choose a machine on another host.');
  if (env.remoteName !== undefined)
    throw new UserFacing(
      'This window is already a remote window.',
      `Open ${id} from a window on your own computer.`,
    );
  if (!remoteExtensions.some((name) => extensions.getExtension(name) !== undefined))
    throw new UserFacing(
      'VS Code needs the extension Remote - SSH to open a window on another host.',
      'Install it, then try again.',
    );
  await commands.executeCommand('vscode.newWindow', {
    remoteAuthority: remoteAuthority(entry),
    reuseWindow: false,
  });
}

const wslExtension = 'ms-vscode-remote.remote-wsl';

/** Reopens the folder in WSL. Without VS Code's extension for WSL, opens the page to install it. */
async function reopenInWsl(): Promise<void> {
  if (extensions.getExtension(wslExtension) !== undefined)
    return commands.executeCommand('remote-wsl.reopenInWSL');
  try {
    await commands.executeCommand('extension.open', wslExtension);
  } catch {
    throw new UserFacing(
      'VS Code needs the extension WSL to reopen the folder, and could not open its page.',
      `Install ${wslExtension} in the Extensions view, then try again.`,
    );
  }
}

/** Asks for a container and adds it. Without Docker or Podman, opens the guide. */
async function useContainer(deps: MachineDeps): Promise<void> {
  const folder = workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri.fsPath;
  if (!hasContainerEngine() || folder === undefined)
    return commands.executeCommand('workbench.action.openWalkthrough', unattendedStep);
  const entry = await askContainer((await deps.host.get()).machines, folder);
  await add(deps, entry && { entries: [entry] });
}

/** Whether a command applies to a machine. An `undefined` entry is this computer. */
type MachineFilter = (entry: MachineEntry | undefined) => boolean;
const isRemote: MachineFilter = (entry) => entry !== undefined;
const isHost: MachineFilter = (entry) => entry !== undefined && hasHost(entry);
/**
 * Returns the id of the machine in the command's argument; without one, asks the user. Resolves
 * with `undefined` when the user cancels. Rejects with `UserFacing` when no machine matches.
 */
async function pickMachine(
  { host }: MachineDeps,
  argument: unknown,
  title: string,
  filter: MachineFilter = () => true,
): Promise<string | undefined> {
  const { machines } = await host.get();
  const argumentId = machineIdOf(argument);
  if (argumentId !== undefined) return argumentId;
  const choices = machines
    .list()
    .map(({ id }) => ({ id, entry: machines.entries().find((each) => each.id === id) }))
    .filter(({ entry }) => filter(entry))
    .map(({ id, entry }) => ({
      label: id,
      description: entry === undefined ? 'this computer' : entryText(entry),
    }));
  if (choices.length === 0)
    throw new UserFacing(
      'No machine supports this command.',
      'Add one with “Helios: Add Machine”.',
    );
  return (await window.showQuickPick(choices, { title, matchOnDescription: true }))?.label;
}

function entryOf(machines: Engine['machines'], id: string): MachineEntry {
  const entry = machines.entries().find((each) => each.id === id);
  if (entry !== undefined) return entry;
  throw new UserFacing(`There is no machine ${id}.`, 'Add it with “Helios: Add Machine”.');
}
