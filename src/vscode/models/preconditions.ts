/** Messages for goals that cannot start, and the model that the chat's model picker selects. */
import type { ProviderKey } from './apiKeys.ts';
import type { CommandId } from '../ui/contributions.ts';

export interface Refusal {
  readonly markdown: string;
  readonly buttons: readonly {
    readonly command: CommandId;
    readonly title: string;
    readonly args?: readonly unknown[];
  }[];
}

/** The goal that the user typed, which is offered again when the goal can start. */
export interface TypedGoal {
  readonly goal?: string;
}

export const noFolder: Refusal = {
  markdown:
    'No folder is open. A goal works in a folder, where it reads and changes files and runs commands.',
  buttons: [
    { command: 'helios.openFolder', title: 'Open Folder' },
    { command: 'helios.tryDemo', title: 'Try the Offline Demo' },
  ],
};

/** `lost`: what to say if a key was stored and is gone. */
export const noKey = (
  { label, provider }: Pick<ProviderKey, 'label' | 'provider'>,
  { goal, lost }: TypedGoal & { readonly lost?: string | undefined } = {},
): Refusal => ({
  markdown:
    lost ??
    `No API key is set for ${label}. Keys are kept in secret storage and sent only to their provider.`,
  buttons: [
    {
      command: 'helios.setApiKey',
      title: 'Set API Key',
      args: [provider, ...(goal === undefined ? [] : [{ goal }])],
    },
    { command: 'helios.selectModel', title: 'Select Model' },
    { command: 'helios.tryDemo', title: 'Try the Offline Demo' },
  ],
});

export const notSignedIn: Refusal = {
  markdown:
    'You are not signed in to ChatGPT. Signing in opens your browser; the tokens are kept in secret storage.',
  buttons: [
    { command: 'helios.signIn', title: 'Sign In to ChatGPT' },
    { command: 'helios.selectModel', title: 'Select Model' },
    { command: 'helios.tryDemo', title: 'Try the Offline Demo' },
  ],
};

/** Returns the refusal for a provider that is not ready and uses no API key. */
export const notReady = (problem: string, action: string): Refusal => ({
  markdown: `${problem} ${action}`,
  buttons: [
    { command: 'helios.selectModel', title: 'Select Model' },
    { command: 'helios.tryDemo', title: 'Try the Offline Demo' },
  ],
});

export const noEndpoint: Refusal = {
  markdown:
    'The provider `compatible` needs the address of its endpoint: set `helios.providers.compatibleBaseUrl`, and the model in `helios.model.name`.',
  buttons: [{ command: 'helios.selectModel', title: 'Select Model' }],
};

export const noGoal: Refusal = {
  markdown:
    'Describe what to train or improve, and the number to reach, such as: *train the model in train.py to val_loss < 1.2*.',
  buttons: [{ command: 'helios.tryDemo', title: 'Try the Offline Demo' }],
};

export const noQuestion: Refusal = {
  markdown: 'Type a question after `/ask`, such as: *which learning rate does train.py use?*',
  buttons: [],
};

export interface PickedModel {
  readonly provider: string;
  readonly model: string;
}

/**
 * Splits the id of a Helios model in VS Code's model picker (`provider/model`); `undefined` for a
 * model of another vendor.
 */
export function pickedModel(
  vendor: string,
  id: string,
  ourVendor: string,
): PickedModel | undefined {
  const slash = id.indexOf('/');
  if (vendor !== ourVendor || slash <= 0 || slash === id.length - 1) return undefined;
  return { provider: id.slice(0, slash), model: id.slice(slash + 1) };
}

export interface PickInChat {
  readonly vendor: string;
  readonly id: string;
  readonly ourVendor: string;
  /** Id of Helios's provider for the models that VS Code gets from other vendors. */
  readonly hostProvider: string;
  /** Whether the user's settings select a provider or a model. */
  readonly isSet: boolean;
}

/**
 * Returns the model for a new session according to the chat's model picker; `undefined` means that
 * the model of the settings is used. VS Code preserves the selection across chats and participants,
 * so a model of another vendor is used only if the settings select no model.
 */
export function pickedInChat({
  vendor,
  id,
  ourVendor,
  hostProvider,
  isSet,
}: PickInChat): PickedModel | undefined {
  if (vendor === ourVendor) return pickedModel(vendor, id, ourVendor);
  return isSet ? undefined : { provider: hostProvider, model: `${vendor}/${id}` };
}

export const hostModelNote = (name: string): string =>
  `Uses ${name} from VS Code: the session works only while this window is open, within the limits of the model's subscription. VS Code reports neither cost nor cache use, and asks for your consent once.`;
