/** Which folder of a window that has several is meant. */
import { window, workspace, type Uri } from 'vscode';

/**
 * The user says which where there are several. Undefined: none is open, or they changed their mind.
 */
export async function pickFolder(placeHolder: string): Promise<Uri | undefined> {
  const folders = workspace.workspaceFolders ?? [];
  const folder =
    folders.length > 1 ? await window.showWorkspaceFolderPick({ placeHolder }) : folders[0];
  return folder?.uri;
}

/** That of the file in front, else the first. */
export function frontFolder(): Uri | undefined {
  const file = window.activeTextEditor?.document.uri;
  return ((file && workspace.getWorkspaceFolder(file)) ?? workspace.workspaceFolders?.[0])?.uri;
}
