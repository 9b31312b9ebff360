/** `@helios` in the chat: starts, steers and follows sessions. A request shows a session; it never owns one. */
import {
  chat,
  ChatResponseTurn,
  Uri,
  window,
  workspace,
  type CancellationToken,
  type ChatContext,
  type ChatRequest,
  type ChatResponseStream,
  type ChatResult,
  type Disposable,
} from 'vscode';
import type { Session } from '../../agent/contract/sessions.ts';
import { systemClock } from '../../base/clock.ts';
import { UserFacing, messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { ApiKeys } from '../models/apiKeys.ts';
import type { Approvals } from '../window/approvals.ts';
import { answerBudget } from './chatBudget.ts';
import { answerWriteup } from './chatReports.ts';
import { answerAboutModel, answerAboutReasoning, showModels } from './chatModels.ts';
import { answerFromChat, showInbox } from './chatInbox.ts';
import { resumeFromChat } from './chatResume.ts';
import { answerStickies, answerSticky } from './chatStickies.ts';
import { showButton, showPart, showRefusal, withIcons } from './chatStream.ts';
import { modelVendor, participant, type ChatCommand } from '../ui/contributions.ts';
import { trustText, type EngineHost } from '../window/engineHost.ts';
import { answerAboutMachines, showMachines } from './chatMachines.ts';
import type { MachineQuestions } from '../machines/machineQuestions.ts';
import type { FollowTarget } from '../window/followTarget.ts';
import { hostProviderId } from '../models/hostModels.ts';
import { followSession, type FollowEnd, type FollowOptions } from './follow.ts';
import type { OpenSessions } from '../window/openSessions.ts';
import type { ProfileId } from '../../agent/journal/events.ts';
import {
  hostModelNote,
  noFolder,
  noGoal,
  noQuestion,
  pickedInChat,
  type PickedModel,
} from '../models/preconditions.ts';
import { costPart } from '../sessions/costTable.ts';
import { isOpen, isWorking, statusLine } from '../../presentation/sessions/sessionText.ts';
import { approvalDeps } from '../sessions/transcript.ts';
import { plain } from '../../base/markdown.ts';
import { providerIn, refusalFor } from '../models/readiness.ts';
import { engineSettings, isModelSet, setting, suggestedBudget } from '../ui/settings.ts';
import { frontFolder } from '../ui/workFolder.ts';

export interface ChatDeps {
  readonly host: EngineHost;
  readonly sessions: OpenSessions;
  readonly approvals: Approvals;
  readonly keys: ApiKeys;
  readonly questions: MachineQuestions;
  readonly following: FollowTarget;
  readonly extensionUri: Uri;
  readonly logger: Logger;
}

interface Turn {
  readonly request: ChatRequest;
  readonly context: ChatContext;
  readonly stream: ChatResponseStream;
  readonly token: CancellationToken;
}

const minuteMs = 60_000;
/** VS Code holds back what the user types while a request is open: never for long while nothing happens. */
const sleepPatienceMs = 20_000;
/** Longer where the user asked to watch. */
const followPatienceMs = 2 * minuteMs;
/** Until VS Code has delivered what it held back while the chat request was open, on a busy machine too. */
const heldBackMs = 10_000;

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
  /** The model that was picked when a session was last spoken to: only a change of it changes the session's. */
  readonly #picked = new Map<string, string>();
  /** When each session was last shown to its end. */
  readonly #endedMs = new Map<string, number>();
  #pausedNote: Disposable | undefined;

  constructor(deps: ChatDeps) {
    this.#deps = deps;
  }

  async handle(turn: Turn): Promise<ChatResult> {
    this.#pausedNote?.dispose();
    try {
      if (!workspace.isTrusted) {
        turn.stream.markdown(trustText);
        turn.stream.button({ command: 'workbench.trust.manage', title: 'Manage Workspace Trust' });
        return {};
      }
      return await this.#answer(turn);
    } catch (error) {
      this.#deps.logger.error(`chat: ${messageOf(error)}`);
      const action = error instanceof UserFacing && error.action ? ` ${error.action}` : '';
      return { errorDetails: { message: `${messageOf(error)}${action}` } };
    }
  }

  async #answer(turn: Turn): Promise<ChatResult> {
    await this.#deps.host.get();
    const command = turn.request.command as ChatCommand | undefined;
    const session = this.#sessionOf(turn.context);
    if (command !== undefined) return this.#commands[command](turn, session);
    return session === undefined ? this.#start(turn) : this.#steer(session, turn);
  }

  readonly #commands: Readonly<Record<ChatCommand, (turn: Turn, session?: Session) => Promise<ChatResult>>> = {
    new: (turn) => this.#start(turn),
    ask: (turn) => this.#start(turn, 'question'),
    status: ({ stream }) => this.#status(stream),
    writeup: async ({ context, stream }, session) => {
      const { host, sessions } = this.#deps;
      const wanted = this.#mentioned(context) ?? session ?? sessions.all().at(-1);
      await answerWriteup(wanted, await host.get(), stream);
      return about(wanted);
    },
    stop: ({ stream }, session) => this.#stop(session, stream),
    follow: (turn, session) => {
      const wanted = this.#deps.sessions.get(this.#deps.following.take() ?? '') ?? session;
      return wanted === undefined
        ? this.#status(turn.stream)
        : this.#follow(wanted, turn, { sleepPatienceMs: followPatienceMs });
    },
    sticky: async ({ request, stream }, session) => {
      await answerSticky(session, request.prompt, stream);
      return about(session);
    },
    stickies: async ({ request, stream }, session) => {
      await answerStickies(session, request.prompt, stream);
      return about(session);
    },
    resume: async (turn) => {
      const resumed = await resumeFromChat(await this.#deps.host.get(), turn.request.prompt, turn.stream);
      return resumed === undefined ? {} : this.#follow(resumed, turn, { sleepPatienceMs: followPatienceMs });
    },
    inbox: async ({ stream }, session) => {
      showInbox(session, stream);
      return about(session);
    },
    answer: async ({ request, stream }, session) => {
      await answerFromChat(session, request.prompt, stream);
      return about(session);
    },
    budget: (turn) => this.#budget(turn),
    models: (turn) => this.#talkOfModels(turn, showModels),
    model: (turn) => this.#talkOfModels(turn, answerAboutModel),
    switch: (turn) => this.#talkOfModels(turn, answerAboutModel),
    reasoning: (turn) => this.#talkOfModels(turn, answerAboutReasoning),
    machines: async ({ stream }) => {
      await showMachines(this.#deps, stream);
      return {};
    },
    machine: async ({ request, stream }) => {
      await answerAboutMachines(this.#deps, request.prompt, stream);
      return {};
    },
  };

  /** Also of a session that has ended: with higher limits it goes on. */
  async #budget(turn: Turn): Promise<ChatResult> {
    const { host, sessions } = this.#deps;
    const { request, context, stream } = turn;
    const session = this.#mentioned(context) ?? sessions.going()[0] ?? sessions.all().at(-1);
    const goesOn = await answerBudget(session, request.prompt, { engine: await host.get(), stream });
    if (session === undefined) return {};
    return goesOn ? this.#follow(session, turn, { say: goOnText }) : about(session);
  }

  /** Also of a session that has ended: what is said to it then is answered by the model of these words. */
  async #talkOfModels({ request, context, stream }: Turn, answer: typeof showModels): Promise<ChatResult> {
    const session = this.#mentioned(context) ?? this.#deps.sessions.going()[0];
    await answer(request.prompt, { engine: await this.#deps.host.get(), session, stream });
    return about(session);
  }

  /** The session that this chat spoke of last. */
  #mentioned({ history }: ChatContext): Session | undefined {
    const results = history.flatMap((each) => (each instanceof ChatResponseTurn ? [each.result.metadata] : []));
    const ids = results.flatMap((data) => (typeof data?.sessionId === 'string' ? [data.sessionId] : []));
    return this.#deps.sessions.get(ids.at(-1) ?? '');
  }

  /** The session that this chat spoke of last, where it goes on; else the newest that goes on. */
  #sessionOf(context: ChatContext): Session | undefined {
    const { sessions } = this.#deps;
    const last = this.#mentioned(context);
    const isMeant = last !== undefined && (isOpen(last.state) || this.#wasHeldBack(last));
    return isMeant ? last : sessions.going()[0];
  }

  /** A message that was meant to steer, and that VS Code delivers only now that the session has ended: no new goal. */
  #wasHeldBack({ id }: Session): boolean {
    const endedMs = this.#endedMs.get(id);
    return endedMs !== undefined && systemClock.now() - endedMs < heldBackMs;
  }

  async #start(turn: Turn, profile: ProfileId = 'goal'): Promise<ChatResult> {
    const { request, stream } = turn;
    const goal = request.prompt.trim();
    const folder = frontFolder();
    const picked = pickedFor(request.model);
    const engine = await this.#deps.host.get();
    if (goal === '' || folder?.scheme !== 'file') {
      showRefusal(stream, goal !== '' ? noFolder : profile === 'goal' ? noGoal : noQuestion);
      return {};
    }
    const refusal = await refusalFor(engine, picked?.provider ?? (await providerIn(folder.fsPath)));
    if (refusal !== undefined) {
      showRefusal(stream, refusal);
      return {};
    }
    const session = await engine.sessions.start({
      goal,
      profile,
      budget: {},
      ...(profile === 'goal' && { defaultBudget: suggestedBudget() }),
      workFolder: folder.fsPath,
      ...picked,
    });
    this.#picked.set(session.id, request.model.id);
    if (session.state.provider === hostProviderId)
      stream.markdown(`${hostModelNote(plain(request.model.name, 80))}\n\n`);
    return this.#follow(session, turn, { fromStart: true });
  }

  async #steer(session: Session, turn: Turn): Promise<ChatResult> {
    const text = turn.request.prompt.trim();
    if (text === '') return this.#follow(session, turn);
    await this.#usePicked(session, turn.request);
    return this.#follow(session, turn, { say: text });
  }

  async #usePicked(session: Session, { model }: ChatRequest): Promise<void> {
    const before = this.#picked.get(session.id);
    this.#picked.set(session.id, model.id);
    const picked = pickedFor(model);
    if (before === undefined || before === model.id || picked === undefined) return;
    const { provider, model: current } = session.state;
    if (picked.provider !== provider || picked.model !== current) await session.useModel(picked.provider, picked.model);
  }

  async #follow(
    session: Session,
    { stream, token }: Turn,
    options: Partial<Pick<FollowOptions, 'say' | 'fromStart' | 'sleepPatienceMs'>> = {},
  ): Promise<ChatResult> {
    const unfollow = this.#deps.following.begin(session.id);
    const abort = new AbortController();
    const cancelled = token.onCancellationRequested(() => abort.abort());
    if (token.isCancellationRequested) abort.abort();
    const asked = this.#deps.approvals.onDidAsk((request) => {
      if (request.sessionId === session.id) this.#showApproval(request.callId, stream);
    });
    for (const request of this.#deps.approvals.pending())
      if (request.sessionId === session.id) this.#showApproval(request.callId, stream);
    try {
      const end = await followSession(session, {
        show: (part) => showPart(stream, part),
        clock: systemClock,
        limitMs: setting('chat.followMinutes') * minuteMs,
        signal: abort.signal,
        sleepPatienceMs,
        ...options,
      });
      await this.#close(session, stream, end);
    } finally {
      unfollow();
      asked.dispose();
      cancelled.dispose();
    }
    return { metadata: { sessionId: session.id } };
  }

  async #close(session: Session, stream: ChatResponseStream, end: FollowEnd): Promise<void> {
    // Whoever stops looking at a sleeping session does not mean to wake it.
    if (end === 'cancelled' && isWorking(session.state)) {
      await session.interrupt();
      this.#pausedNote = window.setStatusBarMessage(pausedText, 8_000);
    }
    if (end === 'ended') this.#endedMs.set(session.id, systemClock.now());
    const { text, buttons } = this.#closing(session, end);
    stream.markdown(withIcons(`\n\n${text}\n\n`));
    for (const button of buttons) button(stream);
  }

  #closing(session: Session, end: FollowEnd): { text: string; buttons: ((stream: ChatResponseStream) => void)[] } {
    const { id, state } = session;
    const line = plain(statusLine(this.#deps.sessions.glance(session), Date.now()), 400);
    const buttons: ((stream: ChatResponseStream) => void)[] = [];
    if (isOpen(state)) {
      buttons.push((stream) => showButton(stream, 'helios.follow', 'Follow', id));
      buttons.push((stream) => showButton(stream, 'helios.stop', 'Stop', id));
      buttons.push((stream) => showButton(stream, 'helios.keepRunning', 'Keep Running', id));
    }
    if (state.runs.size > 0) buttons.push((stream) => showButton(stream, 'helios.showMetrics', 'Show Metrics', id));
    buttons.push((stream) => showButton(stream, 'helios.openSession', 'Open Session', id));
    if (state.end !== undefined && state.runs.size > 0)
      buttons.push((stream) => showButton(stream, 'helios.openBrief', 'Open Brief', id));
    return { text: `${line}${hints[end] ? `\n\n${hints[end]}` : ''}`, buttons };
  }

  #showApproval(callId: string, stream: ChatResponseStream): void {
    const request = this.#deps.approvals.pending().find((each) => each.callId === callId);
    if (request === undefined) return;
    for (const part of approvalDeps(request)) showPart(stream, part);
    showButton(stream, 'helios.answerApproval', 'Allow', callId, 'allow');
    showButton(stream, 'helios.answerApproval', 'Allow for This Session', callId, 'allow_session');
    showButton(stream, 'helios.answerApproval', 'Deny', callId, 'deny');
  }

  async #status(stream: ChatResponseStream): Promise<ChatResult> {
    const { sessions, host } = this.#deps;
    const shown = sessions.going().length > 0 ? sessions.going() : sessions.all().slice(-1);
    if (shown.length === 0) {
      stream.markdown('No session is open in this window. Type a goal to start one.');
      return {};
    }
    const today = await (await host.get()).spentToday();
    for (const session of shown) {
      const { text, buttons } = this.#closing(session, 'time');
      const { state } = session;
      const nowMs = isOpen(state) ? systemClock.now() : state.lastEventMs;
      const costs = costPart({ state, nowMs, today, dayLimits: engineSettings().dayLimits });
      stream.markdown(withIcons(`**${plain(state.goal, 300)}**\n\n${text}\n\n${costs}\n\n`));
      for (const button of buttons) button(stream);
    }
    return shown.length === 1 ? { metadata: { sessionId: shown[0]?.id } } : {};
  }

  async #stop(session: Session | undefined, stream: ChatResponseStream): Promise<ChatResult> {
    if (session === undefined) {
      stream.markdown('No session is going on.');
      return {};
    }
    await session.stop();
    await this.#close(session, stream, 'ended');
    return { metadata: { sessionId: session.id } };
  }
}

const pickedFor = ({ vendor, id }: ChatRequest['model']): PickedModel | undefined =>
  pickedInChat({ vendor, id, ourVendor: modelVendor, hostProvider: hostProviderId, isSet: isModelSet() });

const goOnText = 'Go on with the work.';
const about = (session: Session | undefined): ChatResult =>
  session === undefined ? {} : { metadata: { sessionId: session.id } };

const pausedText = 'Helios is paused; its runs go on. Say something to @helios to go on.';

const hints: Readonly<Record<FollowEnd, string>> = {
  sleeping: 'It wakes by itself. A further message wakes it at once.',
  paused: 'A further message goes on with it. Its runs go on meanwhile.',
  ended: '',
  time: '',
  cancelled: 'A further message goes on with it. Its runs go on meanwhile.',
  failed: '',
};
