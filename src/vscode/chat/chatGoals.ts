import type { ChatRequest, ChatResult } from 'vscode';
import type { Attachment } from '../../agent/contract/attachment.ts';
import type { Session } from '../../agent/contract/sessions.ts';
import type { ProfileId } from '../../agent/journal/events.ts';
import { plain } from '../../base/markdown.ts';
import { hostProviderId } from '../models/hostModels.ts';
import {
  hostModelNote,
  noFolder,
  noGoal,
  noQuestion,
  pickedInChat,
  type PickedModel,
} from '../models/preconditions.ts';
import { providerIn, refusalFor } from '../models/readiness.ts';
import { askAtFirstGoal } from '../sessions/permissionCommands.ts';
import { modelVendor } from '../ui/contributions.ts';
import { isModelSet, suggestedBudget } from '../ui/settings.ts';
import { frontFolder } from '../ui/workFolder.ts';
import type { ChatFollower } from './chatFollower.ts';
import { readReferences } from './chatReferences.ts';
import { showRefusal } from './chatStream.ts';
import type { ChatDeps, ChatTurn } from './chatTurn.ts';

/**
 * Starts sessions from chat messages and steers running sessions, with the model that is selected
 * in the chat.
 */
export class ChatGoals {
  readonly #deps: Pick<ChatDeps, 'host' | 'keys' | 'logger'>;
  readonly #follower: ChatFollower;
  /**
   * By session id: the chat model that was selected when the last message was sent to the session.
   * A message changes the session's model only if the selected chat model has changed since then.
   */
  readonly #picked = new Map<string, string>();

  constructor(deps: Pick<ChatDeps, 'host' | 'keys' | 'logger'>, follower: ChatFollower) {
    this.#deps = deps;
    this.#follower = follower;
  }

  async start(turn: ChatTurn, profile: ProfileId = 'goal'): Promise<ChatResult> {
    const { request, stream } = turn;
    const goal = request.prompt.trim();
    const folder = frontFolder();
    const picked = pickedFor(request.model);
    const engine = await this.#deps.host.get();
    if (goal === '' || folder?.scheme !== 'file') {
      showRefusal(stream, goal !== '' ? noFolder : profile === 'goal' ? noGoal : noQuestion);
      return {};
    }
    const provider = picked?.provider ?? (await providerIn(folder.fsPath));
    const command = request.command === undefined ? '' : `/${request.command} `;
    const typed = { goal: `${command}${goal}` };
    const refusal = await refusalFor({ engine, keys: this.#deps.keys }, provider, typed);
    if (refusal !== undefined) {
      showRefusal(stream, refusal);
      return {};
    }
    if (profile === 'goal') await askAtFirstGoal(this.#deps, folder.fsPath);
    const attachments = await attached(turn);
    const session = await engine.sessions.start({
      goal,
      profile,
      attachments,
      budget: {},
      ...(profile === 'goal' && { defaultBudget: suggestedBudget() }),
      workFolder: folder.fsPath,
      ...picked,
    });
    this.#picked.set(session.id, request.model.id);
    if (session.state.provider === hostProviderId)
      stream.markdown(`${hostModelNote(plain(request.model.name, 80))}\n\n`);
    return this.#follower.follow(session, turn, { fromStart: true });
  }

  async steer(session: Session, turn: ChatTurn): Promise<ChatResult> {
    const text = turn.request.prompt.trim();
    if (text === '') return this.#follower.follow(session, turn);
    await this.#usePicked(session, turn.request);
    const attachments = await attached(turn);
    return this.#follower.follow(session, turn, { say: text, attachments });
  }

  async #usePicked(session: Session, { model }: ChatRequest): Promise<void> {
    const before = this.#picked.get(session.id);
    this.#picked.set(session.id, model.id);
    const picked = pickedFor(model);
    if (before === undefined || before === model.id || picked === undefined) return;
    const { provider, model: current } = session.state;
    if (picked.provider !== provider || picked.model !== current)
      await session.useModel(picked.provider, picked.model);
  }
}

/** Reads what is attached to the message, and names what is not used. */
async function attached({ request, stream }: ChatTurn): Promise<readonly Attachment[]> {
  const { attachments, unused } = await readReferences(request.references);
  if (unused.length > 0) stream.markdown(`Not used: ${plain(unused.join(', '), 300)}\n\n`);
  return attachments;
}

const pickedFor = ({ vendor, id }: ChatRequest['model']): PickedModel | undefined =>
  pickedInChat({
    vendor,
    id,
    ourVendor: modelVendor,
    hostProvider: hostProviderId,
    isSet: isModelSet(),
  });
