/**
 * `@helios` in the chat: starts, steers and follows sessions. A chat request only shows a session;
 * the session continues when the request ends.
 */
import { chat, Uri, workspace, type ChatResult, type Disposable } from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { adviceOf, messageOf, UserFacing } from '../../base/errors.ts';
import { slashWord } from '../../presentation/slashWords.ts';
import { participant, type ChatCommand } from '../ui/contributions.ts';
import { noMachine } from '../ui/noMachine.ts';
import { manageTrust, trustText } from '../ui/trust.ts';
import { chatCommands } from './chatCommands.ts';
import { ChatFollower } from './chatFollower.ts';
import { ChatGoals } from './chatGoals.ts';
import { showRefusal } from './chatStream.ts';
import { about, type ChatDeps, type ChatTurn } from './chatTurn.ts';
import { showUnknownWord } from './chatHelp.ts';
import { MeantSession } from './meantSession.ts';

export function registerChat(deps: ChatDeps): Disposable {
  const handler = new ChatHandler(deps);
  const registered = chat.createChatParticipant(participant.id, (request, context, stream, token) =>
    handler.handle({ request, context, stream, token }),
  );
  registered.iconPath = Uri.joinPath(deps.extensionUri, 'media', 'icon.png');
  return registered;
}

class ChatHandler {
  readonly #deps: ChatDeps;
  readonly #meant: MeantSession;
  readonly #follower: ChatFollower;
  readonly #goals: ChatGoals;
  readonly #commands: ReturnType<typeof chatCommands>;

  constructor(deps: ChatDeps) {
    this.#deps = deps;
    this.#meant = new MeantSession(deps.sessions, systemClock);
    this.#follower = new ChatFollower(deps, this.#meant);
    this.#goals = new ChatGoals(deps, this.#follower);
    this.#commands = chatCommands({
      chat: deps,
      meant: this.#meant,
      goals: this.#goals,
      follower: this.#follower,
    });
  }

  async handle(turn: ChatTurn): Promise<ChatResult> {
    this.#follower.clearNote();
    try {
      if (!workspace.isTrusted) {
        turn.stream.markdown(trustText);
        turn.stream.button(manageTrust);
        return {};
      }
      return await this.#answer(turn);
    } catch (error) {
      this.#deps.logger.error(`chat: ${messageOf(error)}`);
      if (error instanceof UserFacing && error.reason === 'no_machine') {
        showRefusal(turn.stream, noMachine);
        return {};
      }
      return { errorDetails: { message: adviceOf(error) } };
    }
  }

  async #answer(turn: ChatTurn): Promise<ChatResult> {
    await this.#deps.host.get();
    const command = turn.request.command as ChatCommand | undefined;
    const session = this.#meant.steered(turn.context);
    if (command !== undefined) return this.#commands[command](turn, session);
    const { prompt } = turn.request;
    const word = slashWord(prompt);
    if (word !== undefined) {
      showUnknownWord(word, this.#deps.extensionUri, turn.stream);
      return about(session);
    }
    const begun = this.#deps.sessions.get(this.#deps.following.takeNew(prompt) ?? '');
    if (begun !== undefined) return this.#follower.follow(begun, turn, { fromStart: true });
    if (session !== undefined) return this.#goals.steer(session, turn);
    const { isQuestion } = await import('../../presentation/questions.ts');
    return this.#goals.start(turn, isQuestion(prompt) ? 'question' : 'goal');
  }
}
