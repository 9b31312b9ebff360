/** Commands on `helios.json` and notification secrets, and for sending a test notification. */
import type { ApiKeys } from '../models/apiKeys.ts';
import { window, workspace, type QuickPickItem } from 'vscode';
import { UserFacing } from '../../base/errors.ts';
import { notifySecret, secretNamePattern } from '../../compose/notifications.ts';
import { createProjectFile, readProjectFile } from '../../compose/project.ts';
import { trialNotification, trialText } from '../../compose/trial.ts';
import { openFile, type Handlers } from '../ui/commandRegistry.ts';
import type { WindowDeps } from '../window/windowDeps.ts';
import { pickFolder } from '../ui/workFolder.ts';

type SecretDeps = WindowDeps & { readonly keys: ApiKeys };

export function notifyCommands(deps: SecretDeps): Handlers {
  return {
    'helios.openProjectFile': () => openProjectFile(),
    'helios.setSecret': () => setSecret(deps),
    'helios.testNotification': () => testNotification(deps),
  };
}

/** Opens the `helios.json` that applies to a folder, even if it is invalid, or creates one. */
async function openProjectFile(): Promise<void> {
  if (workspace.workspaceFolders === undefined)
    throw new UserFacing(
      'No folder is open.',
      'Open a folder first: helios.json belongs to a folder.',
    );
  const folder = await pickFolder('Open the helios.json of which folder?');
  if (folder === undefined) return;
  await openFile(await createProjectFile(folder.fsPath, {}, { orFind: true }));
}

async function setSecret({ keys }: SecretDeps): Promise<void> {
  const name = await window.showInputBox({
    title: 'Helios: Set Secret for Notifications',
    prompt:
      'Name of the secret, used as ${secret:name} in helios.json and in the notification settings',
    validateInput: (text) =>
      secretNamePattern.test(text) ? undefined : 'Use letters, digits, - and _.',
    ignoreFocusOut: true,
  });
  if (name === undefined) return;
  const value = await window.showInputBox({
    title: `Secret ${name}`,
    prompt: 'Stored in secret storage. Leave it empty to delete the secret',
    password: true,
    ignoreFocusOut: true,
  });
  if (value === undefined) return;
  await keys.set(notifySecret(name), value);
  window.setStatusBarMessage(
    `Helios: the secret ${name} was ${value.trim() === '' ? 'deleted' : 'stored'}.`,
    6_000,
  );
}

/** Sends a test notification, and shows the result for each channel. */
async function testNotification({ host }: SecretDeps): Promise<void> {
  const engine = await host.get();
  const folder = await pickFolder('Use the notification channels of which folder?');
  const project = folder && (await readProjectFile(folder.fsPath));
  const results = await engine.notifier.try(trialNotification(Date.now()), project);
  const rows = results.map((result): QuickPickItem => {
    const icon = result.problem === undefined ? 'pass' : 'error';
    return {
      label: `$(${icon}) ${result.channel}`,
      description: result.isProject ? 'helios.json' : 'settings',
      detail: trialText(result),
    };
  });
  await window.showQuickPick(rows, {
    title: 'Helios: Test Notification',
    placeHolder: 'Result for each channel',
  });
}
