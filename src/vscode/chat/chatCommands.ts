/** The slash commands of `@helios`, by name. */
import type { ChatResult } from 'vscode';
import type { Session } from '../../agent/contract/sessions.ts';
import type { ChatCommand } from '../ui/contributions.ts';
import { answerBudget } from './chatBudget.ts';
import type { ChatFollower } from './chatFollower.ts';
import type { ChatGoals } from './chatGoals.ts';
import { answerFromChat, showInbox } from './chatInbox.ts';
import { answerAboutMachines, showMachines } from './chatMachines.ts';
import { answerAboutModel, answerAboutReasoning, showModels } from './chatModels.ts';
import { answerWriteup } from './chatReports.ts';
import { resumeFromChat } from './chatResume.ts';
import { showStatus } from './chatStatus.ts';
import { answerStickies, answerSticky } from './chatStickies.ts';
import { about, type ChatDeps, type ChatTurn } from './chatTurn.ts';
import type { MeantSession } from './meantSession.ts';

export interface ChatCommandDeps {
  readonly chat: ChatDeps;
  readonly meant: MeantSession;
  readonly goals: ChatGoals;
  readonly follower: ChatFollower;
}

/** Answers a slash command. `session` is the session that a chat message would steer. */
type AnswerCommand = (turn: ChatTurn, session: Session | undefined) => Promise<ChatResult>;

/**
 * Time after which `/follow` and `/resume` stop following a sleeping session. Longer than for a
 * message, because the user asked to watch.
 */
const followPatienceMs = 120_000;
const goOnText = 'Continue the work.';

export function chatCommands(deps: ChatCommandDeps): Readonly<Record<ChatCommand, AnswerCommand>> {
  const { chat, meant, goals, follower } = deps;
  return {
    new: (turn) => goals.start(turn),
    ask: (turn) => goals.start(turn, 'question'),
    status: ({ stream }) => showStatus(chat, follower, stream),
    async writeup({ context, stream }, session) {
      const wanted = meant.mentioned(context) ?? session ?? chat.sessions.all().at(-1);
      await answerWriteup(wanted, await chat.host.get(), stream);
      return about(wanted);
    },
    async stop({ stream }, session) {
      if (session === undefined) {
        stream.markdown('No session is active.');
        return {};
      }
      await session.stop();
      await follower.close(session, stream, 'ended');
      return about(session);
    },
    async follow(turn, session) {
      const wanted = chat.sessions.get(chat.following.take() ?? '') ?? session;
      return wanted === undefined
        ? showStatus(chat, follower, turn.stream)
        : follower.follow(wanted, turn, { sleepPatienceMs: followPatienceMs });
    },
    sticky: aboutSession(answerSticky),
    stickies: aboutSession(answerStickies),
    async resume(turn) {
      const resumed = await resumeFromChat(await chat.host.get(), turn.request.prompt, turn.stream);
      return resumed === undefined
        ? {}
        : follower.follow(resumed, turn, { sleepPatienceMs: followPatienceMs });
    },
    inbox: aboutSession((session, _, stream) => showInbox(session, stream)),
    answer: aboutSession(answerFromChat),
    budget: (turn) => changeBudget(turn, deps),
    models: (turn) => talkOfModels(turn, deps, showModels),
    model: (turn) => talkOfModels(turn, deps, answerAboutModel),
    switch: (turn) => talkOfModels(turn, deps, answerAboutModel),
    reasoning: (turn) => talkOfModels(turn, deps, answerAboutReasoning),
    async machines({ stream }) {
      await showMachines(chat, stream);
      return {};
    },
    async machine({ request, stream }) {
      await answerAboutMachines(chat, request.prompt, stream);
      return {};
    },
  };
}

type AnswerAboutSession = (
  session: Session | undefined,
  prompt: string,
  stream: ChatTurn['stream'],
) => Promise<void> | void;

const aboutSession =
  (answer: AnswerAboutSession): AnswerCommand =>
  async ({ request, stream }, session) => {
    await answer(session, request.prompt, stream);
    return about(session);
  };

/** Handles `/budget`. Also accepts a session that has ended, which higher limits let continue. */
async function changeBudget(
  turn: ChatTurn,
  { chat, meant, follower }: ChatCommandDeps,
): Promise<ChatResult> {
  const { host, sessions } = chat;
  const { request, context, stream } = turn;
  const session = meant.mentioned(context) ?? sessions.going()[0] ?? sessions.all().at(-1);
  const goesOn = await answerBudget(session, request.prompt, { engine: await host.get(), stream });
  if (session === undefined) return {};
  return goesOn ? follower.follow(session, turn, { say: goOnText }) : about(session);
}

/**
 * Handles the commands on models. Also accepts a session that has ended: the new model answers the
 * next message to that session.
 */
async function talkOfModels(
  { request, context, stream }: ChatTurn,
  { chat, meant }: ChatCommandDeps,
  answer: typeof showModels,
): Promise<ChatResult> {
  const session = meant.mentioned(context) ?? chat.sessions.going()[0];
  await answer(request.prompt, { engine: await chat.host.get(), session, stream });
  return about(session);
}
