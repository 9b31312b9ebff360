/** `Set API Key`: asks for a key, checks it, stores it, and offers what the user wanted to do. */
import { commands, window, type InputBox } from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { DisposableStore } from '../../base/disposable.ts';
import { oneLine } from '../../base/text.ts';
import type { KeyAnswer } from '../../compose/keyCheck.ts';
import { isSessionId } from '../../base/ids.ts';
import { run } from '../ui/commandRegistry.ts';
import { participant } from '../ui/contributions.ts';
import { engineSettings } from '../ui/settings.ts';
import type { ApiKeys, ProviderKey } from './apiKeys.ts';
import { keyFor, keyNames } from './keyNames.ts';
import { keyText } from './keyText.ts';

/** The work that the user wanted to start when the key was missing or refused. */
export interface AfterKey {
  readonly goal?: string;
  readonly session?: string;
}

/**
 * Sets the key of a provider; lets the user select the provider if there is none. Stores no key
 * that the provider refuses.
 */
export async function setApiKey(
  keys: ApiKeys,
  provider?: string,
  after: AfterKey = {},
): Promise<void> {
  const entry =
    (provider === undefined ? undefined : keyFor(provider)) ?? (await pickProvider(keys));
  const typed = entry === undefined ? undefined : await askKey(entry);
  if (entry === undefined || typed === undefined) return;
  await keys.set(entry.secret, typed.key);
  const text = keyText(entry, typed.answer);
  if (typed.answer === undefined) window.setStatusBarMessage(`Helios: ${text}`, 6_000);
  else void offerNext(text, after);
}

const origins = {
  storage: 'set',
  environment: 'from the environment',
  file: 'from helios auth',
} as const;

async function pickProvider(keys: ApiKeys): Promise<ProviderKey | undefined> {
  const rows = keyNames().map(async (entry) => {
    const origin = await keys.origin(entry);
    return { label: entry.label, description: origin ? origins[origin] : 'not set', entry };
  });
  const picked = await window.showQuickPick(await Promise.all(rows), {
    title: 'Helios: Set API Key',
    placeHolder: 'Select a provider',
  });
  return picked?.entry;
}

/** `answer`: `undefined` for an empty key, which deletes the stored one. */
interface TypedKey {
  readonly key: string;
  readonly answer?: KeyAnswer;
}

/** Asks until the key is not refused. Resolves with `undefined` when the user cancels. */
async function askKey(entry: ProviderKey): Promise<TypedKey | undefined> {
  const box = window.createInputBox();
  box.title = `Key for ${entry.label}`;
  box.prompt = `Stored in secret storage. Leave it empty to delete the stored key; ${entry.variables.join(' or ')} from the environment is then used`;
  box.password = true;
  box.ignoreFocusOut = true;
  const owned = new DisposableStore();
  owned.add(box);
  try {
    return await new Promise<TypedKey | undefined>((resolve) => {
      owned.add(
        box.onDidHide(() => {
          if (box.busy) void window.showInformationMessage(closedText(entry));
          resolve(undefined);
        }),
      );
      owned.add(box.onDidChangeValue(() => (box.validationMessage = undefined)));
      owned.add(
        box.onDidAccept(() => void takeKey(box, entry).then((typed) => typed && resolve(typed))),
      );
      box.show();
    });
  } finally {
    owned.dispose();
  }
}

const closedText = ({ label }: ProviderKey): string =>
  `The key for ${label} was not stored, because the box was closed while the key was checked.`;

/** Resolves with `undefined`, and says so in the box, if the provider refuses the key. */
async function takeKey(box: InputBox, entry: ProviderKey): Promise<TypedKey | undefined> {
  const key = box.value.trim();
  if (key === '') return { key };
  Object.assign(box, { busy: true, enabled: false });
  const { checkKey } = await import('../../compose/keyCheck.ts');
  const { provider, secret } = entry;
  const question = { provider, secret, key, settings: engineSettings, clock: systemClock };
  const answer = await checkKey(question);
  Object.assign(box, { busy: false, enabled: true });
  if (answer.kind !== 'refused') return { key, answer };
  box.validationMessage = keyText(entry, answer);
  return undefined;
}

async function offerNext(text: string, { goal, session }: AfterKey): Promise<void> {
  const title =
    goal !== undefined
      ? `Start: ${oneLine(goal, 60)}`
      : session !== undefined
        ? 'Try Again'
        : 'Start Goal';
  const choice = await window.showInformationMessage(text, title);
  if (choice === undefined) return;
  if (goal !== undefined)
    await commands.executeCommand('workbench.action.chat.open', {
      query: `@${participant.name} ${goal}`,
    });
  else if (session !== undefined) await run('helios.tryAgain', session);
  else await run('helios.startGoal');
}

/** Reads the arguments of a button. */
export function afterKeyOf(argument: unknown): AfterKey {
  if (typeof argument !== 'object' || argument === null) return {};
  const { goal, session } = argument as Readonly<Record<string, unknown>>;
  return {
    ...(typeof goal === 'string' && goal !== '' && { goal }),
    ...(typeof session === 'string' && isSessionId(session) && { session }),
  };
}
