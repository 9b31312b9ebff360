/** What `@helios` says when it cannot start, and which model it takes. Pure: no `vscode` here. */
import type { CommandId } from '../contributions.ts';

export interface Refusal {
  readonly markdown: string;
  readonly buttons: readonly { readonly command: CommandId; readonly title: string }[];
}

export const noFolder: Refusal = {
  markdown: 'A goal works in a folder: its files are read and changed there, and commands start there. None is open.',
  buttons: [
    { command: 'helios.openFolder', title: 'Open Folder' },
    { command: 'helios.tryDemo', title: 'Try the Offline Demo' },
  ],
};

export const noKey = (label: string): Refusal => ({
  markdown: `There is no key for ${label} yet. It is kept in the secret storage of VS Code and sent to nobody else.`,
  buttons: [
    { command: 'helios.setApiKey', title: 'Set API Key' },
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
    'Say what to train or improve, and the number to reach, such as: *train the model in train.py to val_loss < 1.2*.',
  buttons: [{ command: 'helios.tryDemo', title: 'Try the Offline Demo' }],
};

export interface PickedModel {
  readonly provider: string;
  readonly model: string;
}

/** One of ours is picked as `provider/model`; another vendor's model has no say in a session. */
export function pickedModel(vendor: string, id: string, ourVendor: string): PickedModel | undefined {
  const slash = id.indexOf('/');
  if (vendor !== ourVendor || slash <= 0 || slash === id.length - 1) return undefined;
  return { provider: id.slice(0, slash), model: id.slice(slash + 1) };
}
