/** Imports runs that were made outside Helios from files of any machine. */
import { ThemeIcon, Uri, window } from 'vscode';
import type { Engine } from '../../agent/contract/engine.ts';
import type { Session } from '../../agent/contract/sessions.ts';
import { pickOne, type Choice } from '../window/pick.ts';
import type { WindowDeps } from '../window/windowDeps.ts';

const localId = 'local';
const maxLines = 20;

interface Place {
  readonly machineId: string;
  readonly path: string;
}

/**
 * Asks for a file or folder, shows what is in it, and imports it into the session when the user
 * agrees. Does nothing if the user cancels. Rejects with `UserFacing` if there are no results.
 */
export async function importRuns(
  { host }: WindowDeps,
  session: Session | undefined,
): Promise<void> {
  if (session === undefined) return;
  const { machines } = await host.get();
  const place = await pickPlace(machines, session.state.workFolder);
  if (place === undefined) return;
  const { importPreview, machinePath } = await import('../../compose/importFiles.ts');
  const machine = machines.get(place.machineId);
  const path = await machinePath(machine, place.path);
  const lines = await importPreview(machine, path);
  const more = lines.length > maxLines ? [`… and ${lines.length - maxLines} more`] : [];
  const detail = [...lines.slice(0, maxLines), ...more].join('\n');
  const question = 'Import these runs into the session?';
  const confirm = 'Import';
  const answer = await window.showInformationMessage(question, { modal: true, detail }, confirm);
  if (answer !== confirm) return;
  void window.showInformationMessage(await session.importFiles(place.machineId, path));
}

/** Asks for a file or folder: on this computer in a dialog, on another machine as a path. */
async function pickPlace(
  machines: Engine['machines'],
  workFolder: string,
): Promise<Place | undefined> {
  const onThisComputer = (isFolder: boolean) => () => openDialog(workFolder, isFolder);
  const choices: Choice<() => Promise<Place | undefined>>[] = [
    {
      label: 'File…',
      description: 'a table, JSON lines, a log of TensorBoard or W&B, or a database of Trackio',
      iconPath: new ThemeIcon('file'),
      value: onThisComputer(false),
    },
    {
      label: 'Folder…',
      description: 'runs of TensorBoard, W&B, MLflow or Trackio',
      iconPath: new ThemeIcon('folder'),
      value: onThisComputer(true),
    },
    ...machines
      .list()
      .filter(({ id }) => id !== localId)
      .map(({ id }) => ({
        label: `On ${id}…`,
        iconPath: new ThemeIcon('remote'),
        value: () => askPath(id),
      })),
  ];
  return (await pickOne(choices, 'Import runs from where?'))?.();
}

async function openDialog(workFolder: string, isFolder: boolean): Promise<Place | undefined> {
  const [picked] =
    (await window.showOpenDialog({
      title: 'Import Runs',
      openLabel: 'Import',
      canSelectFiles: !isFolder,
      canSelectFolders: isFolder,
      defaultUri: Uri.file(workFolder),
    })) ?? [];
  return picked && { machineId: localId, path: picked.fsPath };
}

async function askPath(machineId: string): Promise<Place | undefined> {
  const path = await window.showInputBox({
    title: `Import Runs from ${machineId}`,
    prompt: `File or folder on ${machineId}`,
    placeHolder: '~/project/runs',
    ignoreFocusOut: true,
  });
  return path === undefined || path.trim() === '' ? undefined : { machineId, path: path.trim() };
}
