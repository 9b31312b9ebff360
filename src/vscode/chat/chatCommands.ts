/** The slash commands of `@helios`, by name. */
import type { ChatResult } from 'vscode';
import type { Session } from '../../agent/contract/sessions.ts';
import type { ChatCommand } from '../ui/contributions.ts';
import { answerBudget } from './chatBudget.ts';
import type { ChatFollower } from './chatFollower.ts';
import type { ChatGoals } from './chatGoals.ts';
import { answerFromChat, showInbox } from './chatInbox.ts';
import { answerAboutMachines, showMachines } from './chatMachines.ts';
import { showMemory } from './chatMemory.ts';
import { clearMetricValues, showMetricValues } from './chatMetrics.ts';
import {
  answerAboutModel,
  answerAboutReasoning,
  answerClaudeMode,
  showModels,
} from './chatModels.ts';
import { answerWriteup } from './chatReports.ts';
import { resumeFromChat } from './chatResume.ts';
import { showStatus } from './chatStatus.ts';
import { answerTarget } from './chatTarget.ts';
import { answerStickies, answerSticky } from './chatStickies.ts';
import { about, type ChatDeps, type ChatTurn } from './chatTurn.ts';
import { showHelp } from './chatHelp.ts';
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
 * Time after which `/follow` and `/resume` stop following a sleeping session. Longer than after a
 * chat message, because the user explicitly asked to watch the session.
 */
const followPatienceMs = 120_000;
const continueText = 'Continue the work.';

export function chatCommands(deps: ChatCommandDeps): Readonly<Record<ChatCommand, AnswerCommand>> {
  const { chat, meant, goals, follower } = deps;
  return {
    new: (turn) => goals.start(turn),
    ask: (turn) => goals.start(turn, 'question'),
    status: ({ stream }) => showStatus(chat, follower, stream),
    async writeup({ context, stream }, session) {
      const selected = meant.mentioned(context) ?? session ?? chat.sessions.all().at(-1);
      await answerWriteup(selected, await chat.host.get(), stream);
      return about(selected);
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
      const selected = chat.sessions.get(chat.following.take() ?? '') ?? session;
      return selected === undefined
        ? showStatus(chat, follower, turn.stream)
        : follower.follow(selected, turn, { sleepPatienceMs: followPatienceMs });
    },
    target: thenFollow(follower, answerTarget),
    sticky: aboutSession(answerSticky),
    stickies: aboutSession(answerStickies),
    async resume(turn) {
      const resumed = await resumeFromChat(await chat.host.get(), turn.request.prompt, turn.stream);
      return resumed === undefined
        ? {}
        : follower.follow(resumed, turn, { sleepPatienceMs: followPatienceMs });
    },
    inbox: aboutSession((session, _, stream) => showInbox(session, stream)),
    answer: thenFollow(follower, answerFromChat),
    budget: (turn) => changeBudget(turn, deps),
    models: (turn) => answerAboutModels(turn, deps, showModels),
    model: (turn) => answerAboutModels(turn, deps, answerAboutModel),
    switch: (turn) => answerAboutModels(turn, deps, answerAboutModel),
    reasoning: (turn) => answerAboutModels(turn, deps, answerAboutReasoning),
    machines: withoutSession(({ stream }) => showMachines(chat, stream)),
    machine: withoutSession(({ request, stream }) =>
      answerAboutMachines(chat, request.prompt, stream),
    ),
    memory: aboutSession(showMemory),
    async metric({ request, stream }, session) {
      showMetricValues(request.prompt, { session, stream, engine: await chat.host.get() });
      return about(session);
    },
    async metrics({ request, stream }, session) {
      clearMetricValues(request.prompt, { session, stream, engine: await chat.host.get() });
      return about(session);
    },
    'claude-mode': (turn) => answerAboutModels(turn, deps, answerClaudeMode),
    help: withoutSession(({ stream }) => showHelp(chat.extensionUri, stream)),
  };
}

const withoutSession =
  (answer: (turn: ChatTurn) => Promise<void> | void): AnswerCommand =>
  async (turn) => {
    await answer(turn);
    return {};
  };

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

/** Returns a command that follows the session if `answer` resolves with true (it continues). */
const thenFollow =
  (
    follower: ChatFollower,
    answer: (...about: Parameters<AnswerAboutSession>) => Promise<boolean>,
  ): AnswerCommand =>
  async (turn, session) => {
    const goesOn = await answer(session, turn.request.prompt, turn.stream);
    return goesOn && session !== undefined ? follower.follow(session, turn) : about(session);
  };

/** Handles `/budget`. Accepts ended sessions too, because higher limits let them continue. */
async function changeBudget(
  turn: ChatTurn,
  { chat, meant, follower }: ChatCommandDeps,
): Promise<ChatResult> {
  const { host, sessions } = chat;
  const { request, context, stream } = turn;
  const session = meant.mentioned(context) ?? sessions.going()[0] ?? sessions.all().at(-1);
  const canContinue = await answerBudget(session, request.prompt, {
    engine: await host.get(),
    stream,
  });
  if (session === undefined) return {};
  return canContinue ? follower.follow(session, turn, { say: continueText }) : about(session);
}

/**
 * Handles `/models`, `/model`, `/switch` and `/reasoning`. Accepts ended sessions too: the new
 * model answers the next message to the session.
 */
async function answerAboutModels(
  { request, context, stream }: ChatTurn,
  { chat, meant }: ChatCommandDeps,
  answer: typeof showModels,
): Promise<ChatResult> {
  const session = meant.mentioned(context) ?? chat.sessions.going()[0];
  const { host, keys } = chat;
  await answer(request.prompt, { engine: await host.get(), keys, session, stream });
  return about(session);
}
