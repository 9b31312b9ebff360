/**
 * `/models`, `/model`, `/switch` and `/reasoning` in the chat, with the same syntax as in the
 * terminal.
 */
import type { ChatResponseStream } from 'vscode';
import type { Engine } from '../../agent/contract/engine.ts';
import type { Session } from '../../agent/contract/sessions.ts';
import type { NamedModel } from '../../models/list/modelNames.ts';
import { modelRows, priceUnit, problemLines } from '../../presentation/models/modelRows.ts';
import { parseEffort } from '../../presentation/models/effort.ts';
import {
  modelFor,
  modelText,
  reasoningText,
  switchedText,
  type ModelInUse,
} from '../../presentation/models/modelText.ts';
import { showButton, showLinks, showRefusal } from './chatStream.ts';
import type { ApiKeys } from '../models/apiKeys.ts';
import { saveModel } from '../models/modelCommands.ts';
import { modelLines } from '../models/modelLines.ts';
import { plain } from '../../base/markdown.ts';
import { readyProviders, refusalFor } from '../models/readiness.ts';
import { engineSettings } from '../ui/settings.ts';

export interface ModelTalk {
  readonly engine: Engine;
  readonly keys: ApiKeys;
  /** Session whose model is shown or changed; `undefined` for the model of new goals. */
  readonly session: Session | undefined;
  readonly stream: ChatResponseStream;
}

/**
 * Lists the models of every provider that is ready. `prompt`: text that `provider/model` must
 * contain.
 */
export async function showModels(prompt: string, { engine, stream }: ModelTalk): Promise<void> {
  const listing = await engine.models.list();
  const ready = await readyProviders(engine);
  const filter = prompt.trim().toLowerCase();
  const entries = listing.entries.filter(
    ({ provider, model }) =>
      ready.has(provider) && `${provider}/${model.id}`.toLowerCase().includes(filter),
  );
  const rows = modelRows({ ...listing, entries }, engine.prices());
  stream.markdown(
    rows.length === 0 ? 'No available model matches the filter.\n\n' : modelLines(rows),
  );
  if (rows.length > 0) stream.markdown(`${priceUnit}\n\n`);
  const problems = new Map([...listing.problems].filter(([provider]) => ready.has(provider)));
  for (const line of problemLines({ ...listing, problems }))
    stream.markdown(`${plain(line, 300)}\n\n`);
  const otherProviders = engine.providers().filter(({ id }) => !ready.has(id));
  if (otherProviders.length > 0)
    stream.markdown(
      `Not set up: ${plain(otherProviders.map(({ label }) => label).join(', '), 400)}.\n\n`,
    );
  showLinks(stream, [{ title: 'Set API Key' }]);
  showButton(stream, 'helios.selectModel', 'Select Model');
}

/**
 * Shows the session's model or, with a prompt, switches to the named model. The session's history
 * and notes are preserved. Without a session, the named model becomes the default for new goals.
 * Changes nothing if the provider of the named model is not ready. Throws `UserFacing`.
 */
export async function answerAboutModel(prompt: string, talk: ModelTalk): Promise<void> {
  const { engine, session, stream } = talk;
  const current = inUse(talk);
  const newModel = modelFor(prompt, {
    catalogue: engine.models,
    providers: engine.providers(),
    current: current.provider,
  });
  if (newModel === undefined) {
    stream.markdown(`${plain(modelText(current), 400)}\n\n`);
    showButton(stream, 'helios.selectModel', 'Select Model');
    return;
  }
  const refusal = await refusalFor(talk, newModel.provider);
  if (refusal !== undefined) {
    showRefusal(stream, { ...refusal, markdown: `${refusal.markdown} The model was not changed.` });
    return;
  }
  if (session === undefined) await saveModel(newModel.provider, newModel.model);
  else await session.useModel(newModel.provider, newModel.model);
  const message = switchedText(inUse(talk, newModel));
  stream.markdown(
    `${plain(session === undefined ? `New goals use ${modelText(inUse(talk, newModel))}` : message, 500)}\n\n`,
  );
}

/** Shows the session's reasoning effort or, with a prompt, sets it. Throws `UserFacing`. */
export async function answerAboutReasoning(prompt: string, talk: ModelTalk): Promise<void> {
  const { session, stream } = talk;
  if (prompt.trim() !== '' && session !== undefined) await session.useEffort(parseEffort(prompt));
  const used = inUse(talk);
  const effort =
    prompt.trim() === '' || session !== undefined
      ? used.effort
      : (parseEffort(prompt) ?? used.effort);
  stream.markdown(`${plain(reasoningText({ ...used, effort }), 400)}\n\n`);
  if (session === undefined)
    stream.markdown(
      'No session is open in this window. To set the effort for new goals, change the setting `helios.model.effort`.\n\n',
    );
}

/** Handles `/claude-mode cli|api`: calls Claude by the claude command or by the API. */
export async function answerClaudeMode(prompt: string, talk: ModelTalk): Promise<void> {
  const mode = prompt.trim().toLowerCase();
  if (mode === 'cli' || mode === 'api')
    return answerAboutModel(mode === 'cli' ? 'claude-cli/default' : 'claude/default', talk);
  const isCli = inUse(talk).provider === 'claude-cli';
  talk.stream.markdown(
    `Claude is called by ${isCli ? 'the claude command' : 'the API'}. Use \`/claude-mode cli\` or \`/claude-mode api\`.\n\n`,
  );
}

function inUse({ engine, session }: ModelTalk, newModel?: NamedModel): ModelInUse {
  const settings = engineSettings();
  const currentModel = newModel ?? (session ? session.state : configured(engine));
  const { provider, model } = currentModel;
  return {
    provider,
    model,
    description: engine.models.describe(provider, model),
    effort: session?.state.effort ?? settings.effort ?? 'medium',
    prices: engine.prices(),
  };
}

function configured({ models }: Engine): NamedModel {
  const { provider, model } = engineSettings();
  return models.resolve(model ?? 'default', provider);
}
