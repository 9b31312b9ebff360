/** Commands on API keys and models. */
import type { ApiKeys } from './apiKeys.ts';
import { ConfigurationTarget, ThemeIcon, window, workspace, type QuickPickItem } from 'vscode';
import {
  settingKey,
  type SettingName,
  type Settings,
} from '../../presentation/settings/settings.ts';
import { adviceOf, messageOf, UserFacing } from '../../base/errors.ts';
import type { NamedModel } from '../../models/list/modelNames.ts';
import { modelFor } from '../../presentation/models/modelText.ts';
import { afterKeyOf, setApiKey } from './keyCommands.ts';
import { keyFor } from './keyNames.ts';
import { run, type Handlers } from '../ui/commandRegistry.ts';
import { readChoices, type ModelDeps } from './modelProvider.ts';
import type { WindowDeps } from '../window/windowDeps.ts';
import { choiceDetail, priceTable, type ModelChoice } from './modelChoices.ts';
import { engineSettings } from '../ui/settings.ts';

type ProviderDeps = WindowDeps & { readonly keys: ApiKeys };

export function modelCommands(deps: ProviderDeps, models: ModelDeps) {
  return {
    'helios.setApiKey': (provider, after) =>
      setApiKey(deps.keys, typeof provider === 'string' ? provider : undefined, afterKeyOf(after)),
    'helios.selectModel': () => selectModel(deps, models),
  } satisfies Handlers;
}

type Row = QuickPickItem & { pick(): Promise<void> };

/**
 * Lets the user select a model. Known models are listed immediately; further models are added when
 * the providers have answered with their model lists.
 */
async function selectModel(deps: ProviderDeps, models: ModelDeps): Promise<void> {
  const pick = window.createQuickPick<Row>();
  const show = async (): Promise<void> => {
    const [active] = pick.activeItems;
    pick.items = [
      ...(await readChoices(models)).map((choice) => choiceRow(deps, choice)),
      ...moreRows(deps),
    ];
    const sameItem = pick.items.find(
      ({ description, label }) => description === active?.description && label === active?.label,
    );
    if (sameItem !== undefined) pick.activeItems = [sameItem];
  };
  Object.assign(pick, {
    title: 'Helios: Select Model',
    matchOnDescription: true,
    matchOnDetail: true,
    busy: true,
  });
  await show();
  const stop = new AbortController();
  const engine = await deps.host.get();
  const addListedModels = async (): Promise<void> => {
    await engine.models.list({ signal: stop.signal });
    if (stop.signal.aborted) return;
    await show();
    pick.busy = false;
  };
  addListedModels().catch((error: unknown) => deps.logger.warn(`models: ${messageOf(error)}`));
  const picked = await new Promise<Row | undefined>((resolve) => {
    pick.onDidAccept(() => resolve(pick.selectedItems[0]));
    pick.onDidHide(() => resolve(undefined));
    pick.show();
  });
  stop.abort();
  pick.dispose();
  await picked?.pick();
}

const choiceRow = (deps: ProviderDeps, choice: ModelChoice): Row => ({
  label: choice.model.label,
  description: `${choice.providerLabel} · ${choice.model.id}${choice.isConfigured ? ' · current' : ''}`,
  detail: `${choiceDetail(choice, priceTable(engineSettings().prices))}${choice.isReady ? '' : ' · not ready'}`,
  iconPath: new ThemeIcon(choice.isReady ? 'server-process' : 'key'),
  pick: () => useChoice(deps, choice),
});

const moreRows = (deps: ProviderDeps): readonly Row[] => [
  {
    label: 'Other Model…',
    detail: 'By its name, such as opus or openai/gpt-mini',
    iconPath: new ThemeIcon('edit'),
    pick: () => otherModel(deps),
  },
  {
    label: 'OpenAI-Compatible Endpoint…',
    detail: 'vLLM, Ollama, llama.cpp, OpenRouter and others, by address',
    iconPath: new ThemeIcon('plug'),
    pick: () => compatibleEndpoint(deps),
  },
  { label: 'Set API Key…', iconPath: new ThemeIcon('key'), pick: () => setApiKey(deps.keys) },
  {
    label: 'Sign In to ChatGPT…',
    iconPath: new ThemeIcon('account'),
    pick: () => Promise.resolve(run('helios.signIn')).then(() => undefined),
  },
];

async function useChoice(
  deps: ProviderDeps,
  { provider, model, isReady }: ModelChoice,
): Promise<void> {
  await saveModel(provider, model.id);
  if (!isReady) await makeReady(deps, provider);
  await useInSessions(deps, provider, model.id);
}

/** Saves the model for new goals in the user settings. */
export const saveModel = (provider: string, model: string): Promise<void> =>
  save({ 'model.provider': provider, 'model.name': model });

/**
 * Makes a provider ready: asks for its API key. Rejects with `UserFacing` if the provider needs
 * something other than a key.
 */
async function makeReady(deps: ProviderDeps, id: string): Promise<void> {
  if (keyFor(id) !== undefined) return setApiKey(deps.keys, id);
  const provider = (await deps.host.get()).providers().find((each) => each.id === id);
  const state = await provider?.readiness?.();
  if (state?.isReady === false) throw new UserFacing(state.problem, state.action);
}

/**
 * Offers to use the model in open sessions too. Without the user's consent, open sessions keep
 * their model.
 */
async function useInSessions(
  { sessions }: ProviderDeps,
  provider: string,
  model: string,
): Promise<void> {
  const going = sessions
    .going()
    .filter(({ state }) => state.provider !== provider || state.model !== model);
  if (going.length === 0) return;
  const title = going.length === 1 ? 'Use in the Open Session' : 'Use in the Open Sessions';
  const text = `New goals use ${model}. ${going.length === 1 ? '1 session uses' : `${going.length} sessions use`} another model.`;
  if ((await window.showInformationMessage(text, title)) === undefined) return;
  for (const session of going) await session.useModel(provider, model);
}

async function otherModel(deps: ProviderDeps): Promise<void> {
  const { models: catalogue, providers } = await deps.host.get();
  const read = (typed: string): NamedModel | undefined =>
    modelFor(typed, { catalogue, providers: providers() });
  const text = await window.showInputBox({
    title: 'Helios: Other Model',
    prompt: 'A name, such as opus, gpt-mini or openai/gpt-5.4',
    placeHolder: 'provider/model',
    validateInput: (typed) => problemOf(() => read(typed)),
  });
  const picked = text === undefined ? undefined : read(text);
  if (picked === undefined) return;
  await saveModel(picked.provider, picked.model);
  await useInSessions(deps, picked.provider, picked.model);
}

function problemOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return adviceOf(error);
  }
}

async function compatibleEndpoint(deps: ProviderDeps): Promise<void> {
  const address = await window.showInputBox({
    title: 'Helios: OpenAI-Compatible Endpoint (1/2)',
    prompt: 'Address of the endpoint',
    value: engineSettings().compatibleBaseUrl ?? 'http://127.0.0.1:11434/v1',
    ignoreFocusOut: true,
    validateInput: (typed) =>
      URL.canParse(typed.trim()) ? undefined : 'Enter a URL such as http://127.0.0.1:11434/v1.',
  });
  if (address === undefined) return;
  const model = await window.showInputBox({
    title: 'Helios: OpenAI-Compatible Endpoint (2/2)',
    prompt: 'Model id, as the endpoint names it',
    ignoreFocusOut: true,
    validateInput: (typed) => (typed.trim() === '' ? 'Enter a model id.' : undefined),
  });
  if (model === undefined) return;
  await save({
    'providers.compatibleBaseUrl': address.trim(),
    'model.provider': 'compatible',
    'model.name': model.trim(),
  });
  await useInSessions(deps, 'compatible', model.trim());
}

/** Saves each value in the user settings, because a workspace cannot set model or endpoint. */
async function save(values: Partial<Settings>): Promise<void> {
  const configuration = workspace.getConfiguration();
  for (const [key, value] of Object.entries(values)) {
    await configuration.update(settingKey(key as SettingName), value, ConfigurationTarget.Global);
  }
}
