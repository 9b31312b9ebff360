import { commands, workspace } from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { contextKeys } from '../ui/contributions.ts';
import { engineSettings, isModelSet } from '../ui/settings.ts';
import { keySources } from '../../compose/providers.ts';
import { tokensName } from '../../compose/signedIn.ts';
import type { ApiKeys } from './apiKeys.ts';
import { keyNames } from './keyNames.ts';

/**
 * Keeps the context key that says whether there is a model to work with: a key, a sign-in, or a
 * model of the settings that needs neither.
 */
export function keepModelKey(keys: ApiKeys): Disposable {
  const update = async (): Promise<void> => {
    const value = (await hasKey(keys)) || needsNoKey();
    await commands.executeCommand('setContext', contextKeys.hasModel, value);
  };
  const owned = new DisposableStore();
  owned.add(keys.onDidChange(() => void update()));
  owned.add(
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('helios')) void update();
    }),
  );
  void update();
  return owned;
}

async function hasKey(keys: ApiKeys): Promise<boolean> {
  const names = [...keyNames().map(({ secret }) => secret), tokensName];
  const found = await Promise.all(names.map((name) => keys.get(name).catch(() => undefined)));
  return found.some((key) => key !== undefined);
}

const needingKey: readonly string[] = [
  ...keySources.flatMap(({ provider, auth }) => (auth === 'optionalKey' ? [] : [provider])),
  'demo',
];

function needsNoKey(): boolean {
  const { provider } = engineSettings();
  return isModelSet() && !needingKey.includes(provider);
}
