/** Commands on machines: add, remove, test, edit, a terminal, a window. */
import { homedir } from 'node:os';
import { commands, env, extensions, ProgressLocation, ThemeIcon, Uri, window, type QuickPickItem } from 'vscode';
import type { Engine } from '../../agent/engine.ts';
import { messageOf, UserFacing } from '../../base/errors.ts';
import {
  checkedEntry,
  localId,
  parseMachineSpec,
  placeText,
  suggestedId,
  type AuthMethod,
  type MachineEntry,
  type MachinePlace,
} from '../../machines/machineEntry.ts';
import { sshAliases } from '../../machines/sshAliases.ts';
import { expandHome } from '../../machines/ssh/configFile.ts';
import { openFile, run, type Handlers } from '../commandRegistry.ts';
import type { Parts } from '../parts.ts';
import { machineIdOf } from '../present/commandTarget.ts';
import { remoteAuthority, sshArguments } from '../present/machineWords.ts';

export function machineCommands(parts: Parts): Handlers {
  return {
    'helios.addMachine': () => addMachine(parts),
    'helios.removeMachine': (argument) => removeMachine(parts, argument),
    'helios.testMachine': async (argument) => {
      const id = await pickMachine(parts, argument, 'Test which machine?');
      if (id !== undefined) await testMachine(parts, id);
    },
    'helios.editMachines': async () => openFile(await (await parts.host.get()).machines.ensureFile()),
    'helios.openMachineTerminal': (argument) => openTerminal(parts, argument),
    'helios.openMachineWindow': (argument) => openWindow(parts, argument),
  };
}

async function addMachine(parts: Parts): Promise<void> {
  const { machines } = await parts.host.get();
  const aliases = await sshAliases();
  const place = await askPlace(aliases);
  if (place === undefined) return;
  const taken = machines.list().map(({ id }) => id);
  const id = await window.showInputBox({
    title: `Helios: Add ${placeText(place)}`,
    prompt: 'What it is called from now on',
    value: suggestedId(place, taken),
    ignoreFocusOut: true,
    validateInput: (text) =>
      problemOf(() => checkedEntry({ id: text.trim(), kind: 'ssh', host: 'h' })) ?? takenText(text, taken),
  });
  if (id === undefined) return;
  const login = place.alias === undefined ? await askLogin() : {};
  if (login === undefined) return;
  await machines.add({ id: id.trim(), kind: 'ssh', ...place, ...login });
  await testMachine(parts, id.trim());
}

const takenText = (text: string, taken: readonly string[]): string | undefined =>
  taken.includes(text.trim())
    ? `There is a machine ${text.trim()} already: it would be replaced. Choose another name.`
    : undefined;

interface PlaceItem extends QuickPickItem {
  readonly place?: MachinePlace;
}

/** One box for both: hosts of the ssh config to pick from, or an address to type. */
function askPlace(aliases: readonly string[]): Promise<MachinePlace | undefined> {
  const pick = window.createQuickPick<PlaceItem>();
  const known = aliases.map((alias) => ({
    label: alias,
    description: 'ssh config',
    iconPath: new ThemeIcon('remote'),
    place: { alias },
  }));
  pick.title = 'Helios: Add Machine';
  pick.placeholder = aliases.length > 0 ? 'user@host[:port], or a host of the ssh config' : 'user@host[:port]';
  pick.ignoreFocusOut = true;
  pick.items = known;
  pick.onDidChangeValue((text) => {
    const typed = text.trim();
    const isKnown = typed === '' || aliases.includes(typed);
    const problem = isKnown ? undefined : problemOf(() => parseMachineSpec(typed, aliases));
    const own: PlaceItem = {
      label: typed,
      alwaysShow: true,
      iconPath: new ThemeIcon(problem === undefined ? 'add' : 'warning'),
      ...(problem === undefined
        ? { description: 'add this host', place: parseMachineSpec(typed || 'h', aliases) }
        : { detail: problem }),
    };
    pick.items = isKnown ? known : [own, ...known];
  });
  return new Promise((resolve) => {
    pick.onDidAccept(() => {
      const place = pick.selectedItems[0]?.place;
      if (place === undefined) return;
      resolve(place);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

async function askLogin(): Promise<{ readonly auth?: AuthMethod; readonly keyPath?: string } | undefined> {
  const choices: (QuickPickItem & { readonly auth?: AuthMethod })[] = [
    { label: 'As the ssh Config Says', detail: 'Agent, then keys, then questions' },
    { label: 'SSH Agent', auth: 'agent' },
    { label: 'Key File …', auth: 'key' },
    { label: 'Password', detail: 'Asked for once; kept in the secret storage when it has worked', auth: 'password' },
  ];
  const picked = await window.showQuickPick(choices, { title: 'How to log in?', ignoreFocusOut: true });
  if (picked?.auth === undefined) return picked && {};
  if (picked.auth !== 'key') return { auth: picked.auth };
  const folder = Uri.joinPath(Uri.file(homedir()), '.ssh');
  const [file] = (await window.showOpenDialog({ title: 'Private key', openLabel: 'Use', defaultUri: folder })) ?? [];
  return file && { auth: 'key', keyPath: file.fsPath };
}

/** Connects at once, whatever was the case before, and says what was found. */
async function testMachine(parts: Parts, id: string): Promise<void> {
  const machine = (await parts.host.get()).machines.get(id);
  const progress = { location: ProgressLocation.Notification, title: `Helios: connecting to ${id}` };
  try {
    const about = await window.withProgress(progress, async () => {
      await machine.ready?.({ isAnew: true });
      await machine.stat('/');
      return machine.describe();
    });
    void window.showInformationMessage(`${id} answers: ${about}.`);
  } catch (error) {
    const choice = await window.showWarningMessage(
      `${id} cannot be used: ${messageOf(error)}`,
      'Try Again',
      'Edit machines.json',
    );
    if (choice === 'Try Again') await run('helios.testMachine', id);
    if (choice === 'Edit machines.json') await run('helios.editMachines');
  }
}

async function removeMachine(parts: Parts, argument: unknown): Promise<void> {
  const id = await pickMachine(parts, argument, 'Remove which machine?', true);
  if (id === undefined) return;
  const choices = [
    { label: `Remove ${id}`, detail: 'From the list only; nothing on the machine is touched.' },
    { label: 'Keep it' },
  ];
  if ((await window.showQuickPick(choices, { title: `Remove ${id}?` })) !== choices[0]) return;
  await removeById(parts, id);
}

export async function removeById(parts: Pick<Parts, 'host' | 'questions'>, id: string): Promise<void> {
  await (await parts.host.get()).machines.remove(id);
  await parts.questions.secrets.forget(id);
}

async function openTerminal(parts: Parts, argument: unknown): Promise<void> {
  const id = await pickMachine(parts, argument, 'A terminal on which machine?');
  if (id === undefined) return;
  const { machines } = await parts.host.get();
  const options =
    id === localId
      ? { name: id }
      : {
          name: id,
          shellPath: 'ssh',
          shellArgs: sshArguments(entryOf(machines, id), (path) => expandHome(path, homedir())),
          iconPath: new ThemeIcon('remote'),
        };
  window.createTerminal(options).show();
}

const remoteExtensions = ['ms-vscode-remote.remote-ssh', 'jeanp413.open-remote-ssh'];

async function openWindow(parts: Parts, argument: unknown): Promise<void> {
  const id = await pickMachine(parts, argument, 'A window on which machine?', true);
  if (id === undefined) return;
  const entry = entryOf((await parts.host.get()).machines, id);
  if (env.remoteName !== undefined)
    throw new UserFacing('This window is a remote one already.', `Open ${id} from a window on your own computer.`);
  if (!remoteExtensions.some((name) => extensions.getExtension(name) !== undefined))
    throw new UserFacing('Windows on other hosts need the extension Remote - SSH.', 'Install it, then try again.');
  await commands.executeCommand('vscode.newWindow', { remoteAuthority: remoteAuthority(entry), reuseWindow: false });
}

/** Rejects with `UserFacing` when there is none to choose from. */
async function pickMachine(
  { host }: Parts,
  argument: unknown,
  title: string,
  isRemoteOnly = false,
): Promise<string | undefined> {
  const { machines } = await host.get();
  const named = machineIdOf(argument);
  if (named !== undefined) return named;
  const choices = machines
    .list()
    .filter(({ id }) => !isRemoteOnly || id !== localId)
    .map(({ id }) => ({ label: id, description: placeOf(machines, id) }));
  if (choices.length === 0)
    throw new UserFacing('There is only this computer yet.', 'Add a machine with “Helios: Add Machine”.');
  return (await window.showQuickPick(choices, { title, matchOnDescription: true }))?.label;
}

const placeOf = (machines: Engine['machines'], id: string): string => {
  const entry = machines.entries().find((each) => each.id === id);
  return entry === undefined ? 'this computer' : placeText(entry);
};

function entryOf(machines: Engine['machines'], id: string): MachineEntry {
  const entry = machines.entries().find((each) => each.id === id);
  if (entry !== undefined) return entry;
  throw new UserFacing(`${id} is not a machine of the list.`, 'Add it with “Helios: Add Machine”.');
}

function problemOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
