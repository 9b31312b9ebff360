/** Commands on `helios.json`: open it, and allow what it sends and runs. */
import { window, workspace } from 'vscode';
import { UserFacing } from '../../base/errors.ts';
import { projectsAt, reviewText } from '../../compose/project.ts';
import { openFile, type Handlers } from '../ui/commandRegistry.ts';
import { homeFolder } from '../ui/settings.ts';
import { pickFolder } from '../ui/workFolder.ts';
import { notTrusted } from '../ui/trust.ts';
import type { WindowDeps } from '../window/windowDeps.ts';

type DocumentDeps = Pick<WindowDeps, 'documents'>;

export function projectCommands(deps: DocumentDeps) {
  return {
    'helios.openProjectFile': openProjectFile,
    'helios.allowProjectFile': () => allowProjectFile(deps),
  } satisfies Handlers;
}

/** Opens the `helios.json` that applies to a folder, even if it is invalid, or creates one. */
async function openProjectFile(): Promise<void> {
  const folder = await trustedFolder('Select the folder whose helios.json to open');
  if (folder !== undefined) await openFile(await projectsAt(homeFolder()).ensure(folder));
}

/**
 * Shows in a document what a `helios.json` would send or run, and allows exactly that if the user
 * agrees.
 */
async function allowProjectFile({ documents }: DocumentDeps): Promise<void> {
  const folder = await trustedFolder('Select the folder whose helios.json to allow');
  if (folder === undefined) return;
  const projects = projectsAt(homeFolder());
  const review = await projects.review(folder);
  if (review === undefined) throw new UserFacing(`No helios.json applies to ${folder}.`);
  const text = reviewText(review);
  await documents.open(`/project/${review.id}/helios.json (review).txt`, () =>
    Promise.resolve(text),
  );
  if (Object.keys(review.gated).length === 0) return;
  const [question, answer] = review.isAllowed
    ? ['This content of helios.json is allowed.', 'Revoke']
    : ['Allow what the document shows? It applies to new and resumed sessions.', 'Allow'];
  const choice = await window.showWarningMessage(question, answer);
  if (choice === 'Allow') await projects.allow(review);
  if (choice === 'Revoke') await projects.revoke(review);
}

/** Asks for a folder. Throws `UserFacing` if none is open, or if the workspace is not trusted. */
async function trustedFolder(question: string): Promise<string | undefined> {
  if (workspace.workspaceFolders === undefined)
    throw new UserFacing(
      'No folder is open.',
      'Open a folder first: helios.json belongs to a folder.',
    );
  if (!workspace.isTrusted) throw notTrusted();
  return (await pickFolder(question))?.fsPath;
}
