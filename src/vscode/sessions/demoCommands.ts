/** The offline demo: a small training project that really runs, on which a scripted model works. */
import { cp, mkdir, readFile, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { commands, ThemeIcon, Uri, window, workspace, type Memento } from 'vscode';
import type { Engine } from '../../agent/contract/engine.ts';
import { checkCommandsRun } from '../../compose/filesOnly.ts';
import { localId } from '../../presentation/machines/machineText.ts';
import { run, type Handlers } from '../ui/commandRegistry.ts';
import { pickOne } from '../window/pick.ts';
import type { WindowDeps } from '../window/windowDeps.ts';
import { isInside } from '../ui/folders.ts';
import { machineIcons } from '../machines/machineLabels.ts';
import { showSession } from './goalCommands.ts';
import { askAtFirstGoal } from './permissionCommands.ts';

/**
 * Key in VS Code's global state under which a pending demo is stored. Stored before the folder of
 * the demo is opened, because opening a folder reloads the window. The reloaded window starts the
 * demo.
 */
const pendingKey = 'helios.pendingDemo';
/** Time after which a pending demo is no longer started. */
const pendingMs = 120_000;
const folderName = 'helios-demo';
const budget = { minutes: 20, turns: 120 };

export function demoCommands(deps: WindowDeps, memento: Memento) {
  return { 'helios.tryDemo': (folder) => tryDemo(deps, memento, folder) } satisfies Handlers;
}

/** Starts the pending demo if this window has the folder of the demo open. */
export async function startPendingDemo(deps: WindowDeps, memento: Memento): Promise<void> {
  const pending = memento.get<{ readonly folder: string; readonly atMs: number }>(pendingKey);
  if (pending === undefined || !isOpenHere(pending.folder)) return;
  await memento.update(pendingKey, undefined);
  if (Date.now() - pending.atMs < pendingMs) await startDemo(deps, pending.folder);
}

async function tryDemo(deps: WindowDeps, memento: Memento, argument: unknown): Promise<void> {
  checkCommandsRun((await deps.host.get()).machines.list());
  const folder =
    typeof argument === 'string' && isAbsolute(argument) ? argument : await askFolder();
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  await cp(demoFolder(deps), folder, { recursive: true, force: false });
  if (isOpenHere(folder)) return startDemo(deps, folder);
  await memento.update(pendingKey, { folder, atMs: Date.now() });
  await commands.executeCommand('vscode.openFolder', Uri.file(folder));
}

async function askFolder(): Promise<string | undefined> {
  const open = workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri.fsPath;
  if (open === undefined) return chooseFolder();
  const isDemo = await stat(join(open, 'goal.txt')).then(
    () => true,
    () => false,
  );
  const here = isDemo ? open : join(open, folderName);
  const choices = [
    {
      label: 'In This Workspace',
      detail: here,
      iconPath: new ThemeIcon('root-folder'),
      value: () => here,
    },
    {
      label: 'Choose a Folder…',
      detail: 'Opens in this window',
      iconPath: new ThemeIcon('folder-opened'),
      value: chooseFolder,
    },
  ];
  return (
    await pickOne<() => string | Promise<string | undefined>>(
      choices,
      'Select where to create the demo project',
    )
  )?.();
}

async function chooseFolder(): Promise<string | undefined> {
  const picked = await window.showOpenDialog({
    canSelectFiles: false,
    canSelectFolders: true,
    openLabel: 'Create Demo Here',
    title: `Select the folder in which to create the demo project (${folderName})`,
  });
  const folder = picked?.[0]?.fsPath;
  return folder === undefined ? undefined : join(folder, folderName);
}

async function startDemo(deps: WindowDeps, folder: string): Promise<void> {
  const engine = await deps.host.get();
  const machine = await askMachine(engine.machines);
  if (machine === undefined) return;
  const words = (await readFile(join(demoFolder(deps), 'goal.txt'), 'utf8')).trim();
  const goal = machine === localId ? words : `${words} on ${machine}`;
  const model = engine.providers().find(({ id }) => id === 'demo')?.defaultModel;
  await askAtFirstGoal(deps, folder);
  const session = await engine.sessions.start({
    goal,
    budget,
    workFolder: folder,
    provider: 'demo',
    ...(model !== undefined && { model }),
  });
  await run('helios.showMetrics', session.id);
  await showSession(deps, session, { isNew: true });
}

/** Asks for the machine of the demo. Skips the question if there is only one machine. */
function askMachine(machines: Engine['machines']): Promise<string | undefined> {
  const choices = machines
    .list()
    .filter(({ filesOnly }) => filesOnly === undefined)
    .map(({ id, kind }) => ({
      label: id === localId ? 'This Computer' : id,
      description: id === localId ? '' : kind,
      iconPath: new ThemeIcon(machineIcons[kind]),
      value: id,
    }));
  return pickOne(choices, 'Select a machine for the demo');
}

const demoFolder = ({ extensionUri }: WindowDeps): string =>
  Uri.joinPath(extensionUri, 'media', 'demo').fsPath;

const isOpenHere = (folder: string): boolean =>
  (workspace.workspaceFolders ?? []).some(({ uri }) => isInside(uri.fsPath, folder));
