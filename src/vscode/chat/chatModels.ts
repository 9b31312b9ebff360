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
import { showButton } from './chatStream.ts';
import { saveModel } from '../models/modelCommands.ts';
import { modelLines } from '../models/modelLines.ts';
import { plain } from '../../base/markdown.ts';
import { readyProviders } from '../models/readiness.ts';
import { engineSettings } from '../ui/settings.ts';

export interface ModelTalk {
  readonly engine: Engine;
  /** Session to change. Default: changes apply to future goals. */
  readonly session: Session | undefined;
  readonly stream: ChatResponseStream;
}

/** Lists the models of every provider that is ready. `prompt` is a filter. */
export async function showModels(prompt: string, { engine, stream }: ModelTalk): Promise<void> {
  const listing = await engine.models.list();
  const ready = await readyProviders(engine);
  const word = prompt.trim().toLowerCase();
  const entries = listing.entries.filter(
    ({ provider, model }) =>
      ready.has(provider) && `${provider}/${model.id}`.toLowerCase().includes(word),
  );
  const rows = modelRows({ ...listing, entries }, engine.prices());
  stream.markdown(
    rows.length === 0 ? 'No available model matches the filter.\n\n' : modelLines(rows),
  );
  if (rows.length > 0) stream.markdown(`${priceUnit}\n\n`);
  const problems = new Map([...listing.problems].filter(([provider]) => ready.has(provider)));
  for (const line of problemLines({ ...listing, problems }))
    stream.markdown(`${plain(line, 300)}\n\n`);
  const others = engine.providers().filter(({ id }) => !ready.has(id));
  if (others.length > 0)
    stream.markdown(`Not set up: ${plain(others.map(({ label }) => label).join(', '), 400)}.\n\n`);
  showButton(stream, 'helios.selectModel', 'Select Model');
  showButton(stream, 'helios.setApiKey', 'Set API Key');
}

/**
 * Shows the model of the session, or switches to another one; history and notes are preserved.
 * Throws `UserFacing`.
 */
export async function answerAboutModel(prompt: string, talk: ModelTalk): Promise<void> {
  const { engine, session, stream } = talk;
  const current = inUse(talk);
  const wanted = modelFor(prompt, {
    catalogue: engine.models,
    providers: engine.providers(),
    current: current.provider,
  });
  if (wanted === undefined) {
    stream.markdown(`${plain(modelText(current), 400)}\n\n`);
    showButton(stream, 'helios.selectModel', 'Select Model');
    return;
  }
  if (session === undefined) await saveModel(wanted.provider, wanted.model);
  else await session.useModel(wanted.provider, wanted.model);
  const said = switchedText(inUse(talk, wanted));
  stream.markdown(
    `${plain(session === undefined ? `New goals use ${modelText(inUse(talk, wanted))}` : said, 500)}\n\n`,
  );
}

/** Shows or sets the reasoning effort of the session. Throws `UserFacing`. */
export async function answerAboutReasoning(prompt: string, talk: ModelTalk): Promise<void> {
  const { session, stream } = talk;
  if (prompt.trim() !== '' && session !== undefined) await session.useEffort(parseEffort(prompt));
  const used = inUse(talk);
  const asked =
    prompt.trim() === '' || session !== undefined
      ? used.effort
      : (parseEffort(prompt) ?? used.effort);
  stream.markdown(`${plain(reasoningText({ ...used, effort: asked }), 400)}\n\n`);
  if (session === undefined)
    stream.markdown(
      'No session is open here. The setting `helios.model.effort` applies to new goals.\n\n',
    );
}

function inUse({ engine, session }: ModelTalk, wanted?: NamedModel): ModelInUse {
  const settings = engineSettings();
  const named = wanted ?? (session ? session.state : configured(engine));
  const { provider, model } = named;
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
