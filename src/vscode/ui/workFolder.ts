/** Selects one of the window's workspace folders. */
import { window, workspace, type Uri } from 'vscode';

/**
 * Returns the window's folder, or asks for one if there are several. Resolves with `undefined` when
 * no folder is open or the user cancels.
 */
export async function pickFolder(placeHolder: string): Promise<Uri | undefined> {
  const folders = workspace.workspaceFolders ?? [];
  const folder =
    folders.length > 1 ? await window.showWorkspaceFolderPick({ placeHolder }) : folders[0];
  return folder?.uri;
}

/** Returns the workspace folder of the file in the active editor; otherwise the first folder. */
export function frontFolder(): Uri | undefined {
  const file = window.activeTextEditor?.document.uri;
  return ((file && workspace.getWorkspaceFolder(file)) ?? workspace.workspaceFolders?.[0])?.uri;
}
