import { window, type ChatResponseStream, type ChatResult, type Disposable } from 'vscode';
import type { Session } from '../../agent/contract/sessions.ts';
import { systemClock } from '../../base/clock.ts';
import { plain } from '../../base/markdown.ts';
import { isOpen, isWorking, statusLine } from '../../presentation/sessions/sessionText.ts';
import { approvalParts } from '../sessions/transcript.ts';
import { setting } from '../ui/settings.ts';
import type { Approval } from '../window/approvals.ts';
import { showButton, showPart, withIcons } from './chatStream.ts';
import { about, type ChatDeps, type ChatTurn } from './chatTurn.ts';
import { followSession, type FollowEnd, type FollowOptions } from './follow.ts';
import type { MeantSession } from './meantSession.ts';

const minuteMs = 60_000;
/**
 * Time after which a chat request stops following a sleeping session. Kept short, because VS Code
 * delivers new messages of the user only after the open request has ended.
 */
const sleepPatienceMs = 20_000;
/** The state of a session as text, with buttons for the available actions. */
export interface SessionStanding {
  readonly text: string;
  readonly buttons: readonly ((stream: ChatResponseStream) => void)[];
}

/** Streams working sessions into the chat, with buttons for tool calls that need approval. */
export class ChatFollower {
  readonly #deps: ChatDeps;
  readonly #meant: MeantSession;
  #pausedNote: Disposable | undefined;

  constructor(deps: ChatDeps, meant: MeantSession) {
    this.#deps = deps;
    this.#meant = meant;
  }

  /** Removes “Helios is paused” from the status bar. Called when the user sends a chat message. */
  clearNote(): void {
    this.#pausedNote?.dispose();
  }

  /**
   * Streams a session into the chat until the session sleeps, pauses or ends, the user cancels the
   * chat request, or the time limit is reached. Then shows the state of the session with buttons.
   */
  async follow(
    session: Session,
    { stream, token, context }: ChatTurn,
    options: Partial<
      Pick<FollowOptions, 'say' | 'attachments' | 'fromStart' | 'sleepPatienceMs'>
    > = {},
  ): Promise<ChatResult> {
    const unfollow = this.#deps.following.begin(session.id);
    const abort = new AbortController();
    const cancelListener = token.onCancellationRequested(() => abort.abort());
    if (token.isCancellationRequested) abort.abort();
    const showApproval = (approval: Approval): void => {
      if (approval.sessionId === session.id) this.#showApproval(approval, stream);
    };
    const approvalListener = this.#deps.approvals.onDidAsk(showApproval);
    this.#deps.approvals.pending().forEach(showApproval);
    try {
      const end = await followSession(session, {
        show: (part) => showPart(stream, part),
        clock: systemClock,
        limitMs: setting('chat.followMinutes') * minuteMs,
        signal: abort.signal,
        isYieldRequested: () => isYieldRequested(context),
        sleepPatienceMs,
        ...options,
      });
      await this.close(session, stream, end);
    } finally {
      unfollow();
      approvalListener.dispose();
      cancelListener.dispose();
    }
    return about(session);
  }

  /** Ends a chat response: shows the state of the session, with buttons for the next actions. */
  async close(session: Session, stream: ChatResponseStream, end: FollowEnd): Promise<void> {
    // When the user cancels the request, only a working session is interrupted. Interrupting a
    // sleeping session would end its sleep and pause it, but the user only wants to stop watching.
    if (end === 'cancelled' && isWorking(session.state)) {
      await session.interrupt();
      this.#pausedNote = window.setStatusBarMessage(pausedText, 8_000);
    }
    if (end === 'ended') this.#meant.ended(session);
    // The answer to the next message shows the state of the same session, so do not show it here.
    if (end === 'yielded') return;
    const { text, buttons } = this.standing(session, end);
    stream.markdown(withIcons(`\n\n${text}\n\n`));
    for (const button of buttons) button(stream);
  }

  standing(session: Session, end: FollowEnd): SessionStanding {
    const { id, state } = session;
    const line = plain(statusLine(this.#deps.sessions.glance(session), Date.now()), 400);
    const buttons: ((stream: ChatResponseStream) => void)[] = [];
    if (isOpen(state)) {
      buttons.push((stream) => showButton(stream, 'helios.follow', 'Follow', id));
      buttons.push((stream) => showButton(stream, 'helios.stop', 'Stop', id));
      buttons.push((stream) => showButton(stream, 'helios.keepRunning', 'Keep Running', id));
    }
    if (state.runs.size > 0)
      buttons.push((stream) => showButton(stream, 'helios.showMetrics', 'Show Metrics', id));
    buttons.push((stream) => showButton(stream, 'helios.openSession', 'Open Session', id));
    if (state.end !== undefined && state.runs.size > 0)
      buttons.push((stream) => showButton(stream, 'helios.openBrief', 'Open Brief', id));
    return { text: `${line}${hints[end] ? `\n\n${hints[end]}` : ''}`, buttons };
  }

  #showApproval(approval: Approval, stream: ChatResponseStream): void {
    const { parts, choices } = approvalParts(approval);
    for (const part of parts) showPart(stream, part);
    for (const [label, choice] of Object.entries(choices))
      showButton(stream, 'helios.answerApproval', label, approval.id, choice);
  }
}

/**
 * Returns whether VS Code asks to end the request, because another message waits. The property is
 * set for every participant, but not part of the stable API.
 */
const isYieldRequested = (context: object): boolean =>
  'yieldRequested' in context && context.yieldRequested === true;

const pausedText = 'Helios is paused; its runs continue. Send a message to @helios to continue.';

const hints: Readonly<Record<FollowEnd, string>> = {
  sleeping: 'The session wakes automatically. Send a message to wake it now.',
  paused: 'Send a message to continue the session. Its runs continue meanwhile.',
  ended: '',
  time: '',
  yielded: '',
  cancelled: 'Send a message to continue the session. Its runs continue meanwhile.',
  failed: '',
};
