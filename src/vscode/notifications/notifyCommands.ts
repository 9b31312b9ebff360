/** Commands for notifications: their secrets, and a test. */
import type { ApiKeys } from '../models/apiKeys.ts';
import { window, type QuickPickItem } from 'vscode';
import { notifySecret, secretNamePattern } from '../../compose/notifications.ts';
import { projectsAt } from '../../compose/project.ts';
import { trialNotification, trialText } from '../../compose/trial.ts';
import { leftOutText } from '../../presentation/sessions/sessionText.ts';
import type { Handlers } from '../ui/commandRegistry.ts';
import type { WindowDeps } from '../window/windowDeps.ts';
import { homeFolder } from '../ui/settings.ts';
import { pickFolder } from '../ui/workFolder.ts';

type SecretDeps = WindowDeps & { readonly keys: ApiKeys };

export function notifyCommands(deps: SecretDeps) {
  return {
    'helios.setSecret': () => setSecret(deps),
    'helios.testNotification': () => testNotification(deps),
  } satisfies Handlers;
}

async function setSecret({ keys }: SecretDeps): Promise<void> {
  const name = await window.showInputBox({
    title: 'Helios: Set Secret for Notifications',
    prompt: 'Name of the secret, used as ${secret:name} in your notification settings',
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
  const folder = await pickFolder('Select the folder whose notification channels to use');
  const project = folder && (await projectsAt(homeFolder()).read(folder.fsPath));
  const results = await engine.notifier.try(trialNotification(Date.now()), project);
  const rows = results.map((result): QuickPickItem => {
    const icon = result.problem === undefined ? 'pass' : 'error';
    return {
      label: `$(${icon}) ${result.channel}`,
      description: result.isProject ? 'helios.json' : 'settings',
      detail: trialText(result),
    };
  });
  if (project?.leftOut !== undefined)
    rows.push({ label: '$(shield) helios.json', detail: leftOutText(project.leftOut) });
  await window.showQuickPick(rows, {
    title: 'Helios: Test Notification',
    placeHolder: 'Result for each channel',
  });
}
