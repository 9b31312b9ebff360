/**
 * Asks the user for what connections to machines need: secrets in an input box, the trust of new
 * host keys in a notification.
 */
import { CancellationTokenSource, window, type SecretStorage } from 'vscode';
import type { Engine } from '../../agent/contract/engine.ts';
import type { Disposable } from '../../base/disposable.ts';
import type {
  HostKeyQuestion,
  MachinePrompts,
  SecretQuestion,
} from '../../machines/machinePrompts.ts';
import { MachineSecrets } from '../../compose/machineSecrets.ts';
import { secretText } from '../../presentation/machines/secretText.ts';
import { hostKeyText } from './machineLabels.ts';

export interface MachineQuestions {
  readonly prompts: MachinePrompts;
  readonly secrets: MachineSecrets;
  /** Stores the secrets of a machine whenever the engine has connected to the machine with them. */
  attach(engine: Engine): Disposable;
}

export function createMachineQuestions(storage: SecretStorage): MachineQuestions {
  const secrets = new MachineSecrets(storage, askSecret);
  return {
    secrets,
    prompts: {
      askSecret: (question, signal) => secrets.answer(question, signal),
      keptSecret: (question) => secrets.kept(question),
      confirmHostKey,
    },
    attach: ({ machines }) =>
      machines.onDidChange(() => {
        for (const { id } of machines.list())
          if (machines.status(id).kind === 'connected') void secrets.reached(id);
      }),
  };
}

const savedNote = '. Saved to secret storage after a successful connection';

async function askSecret(
  question: SecretQuestion,
  signal: AbortSignal,
): Promise<string | undefined> {
  const source = new CancellationTokenSource();
  const cancel = (): void => source.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const options = {
      title: `Helios: ${question.machine}`,
      prompt: `${secretText(question)}${question.kind === 'keyboard' ? '' : savedNote}`,
      password: true,
      ignoreFocusOut: true,
    };
    return await window.showInputBox(options, source.token);
  } finally {
    signal.removeEventListener('abort', cancel);
    source.dispose();
  }
}

const trust = 'Trust and Connect';

/**
 * Asks whether to trust a host key. Resolves with false when the signal is aborted; VS Code cannot
 * withdraw the notification, so a later answer is ignored.
 */
async function confirmHostKey(question: HostKeyQuestion, signal: AbortSignal): Promise<boolean> {
  const text = hostKeyText(question);
  const aborted = new Promise<undefined>((resolve) =>
    signal.addEventListener('abort', () => resolve(undefined), { once: true }),
  );
  const choice = await Promise.race([
    window.showWarningMessage(text, trust, 'Do Not Connect'),
    aborted,
  ]);
  return choice === trust && !signal.aborted;
}
