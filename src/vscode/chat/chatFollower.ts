import { window, type ChatResponseStream, type ChatResult, type Disposable } from 'vscode';
import type { Session } from '../../agent/contract/sessions.ts';
import { systemClock } from '../../base/clock.ts';
import type { SessionId } from '../../base/ids.ts';
import { plain } from '../../base/markdown.ts';
import { isWorking, statusLine } from '../../presentation/sessions/sessionText.ts';
import { answerPart, approvalParts } from '../sessions/approvalParts.ts';
import { sessionLinks, type CommandLink } from '../ui/commandLinks.ts';
import { setting } from '../ui/settings.ts';
import type { Approval } from '../window/approvals.ts';
import { waysOut } from './chatFailure.ts';
import { PartWriter, showButton, showLinks, withIcons } from './chatStream.ts';
import { about, type ChatDeps, type ChatTurn } from './chatTurn.ts';
import { followSession, type FollowEnd, type FollowOptions } from './follow.ts';
import type { MeantSession } from './meantSession.ts';

const minuteMs = 60_000;
/**
 * Time after which a chat request stops following a sleeping session. Kept short, because VS Code
 * delivers new messages of the user only after the open request has ended.
 */
const sleepPatienceMs = 20_000;
/** The state of a session as text, with links to its views and to the available actions. */
export interface SessionStanding {
  readonly text: string;
  /** The ways out of a failed model call. */
  readonly parts: readonly ((stream: ChatResponseStream) => void)[];
  readonly links: readonly CommandLink[];
}

/** Streams working sessions into the chat, with the questions for approval of their calls. */
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
    const writer = new PartWriter(stream);
    const stopApprovals = this.#showApprovals(session.id, stream, writer);
    try {
      const end = await followSession(session, {
        show: (part) => writer.write(part),
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
      stopApprovals();
      cancelListener.dispose();
    }
    return about(session);
  }

  /** Ends a chat response: shows the state of the session, with links to the next actions. */
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
    const { text, parts, links } = this.standing(session, end);
    stream.markdown(withIcons(`\n\n${text}\n\n`));
    // VS Code collapses what precedes the last text if something else stands between.
    showLinks(stream, links);
    for (const show of parts) show(stream);
  }

  standing(session: Session, end: FollowEnd): SessionStanding {
    const line = plain(statusLine(this.#deps.sessions.glance(session), Date.now()), 400);
    const text = `${line}${hints[end] ? `\n\n${hints[end]}` : ''}`;
    const { parts, links } = waysOut(session.state);
    return { text, parts, links: [...links, ...sessionLinks(session.state)] };
  }

  /** Shows the questions of the session and their answers, until the returned function is called. */
  #showApprovals(id: SessionId, stream: ChatResponseStream, writer: PartWriter): () => void {
    const { approvals } = this.#deps;
    const show = (approval: Approval): void => {
      if (approval.sessionId === id) showApproval(approval, stream, writer);
    };
    const listeners = [
      approvals.onDidAsk(show),
      approvals.onDidAnswer(({ approval, answer }) => {
        if (approval.sessionId === id && answer !== 'deny') writer.write(answerPart(answer));
      }),
    ];
    approvals.pending().forEach(show);
    return () => listeners.forEach((listener) => listener.dispose());
  }
}

/** Shows a question with a button for the first answer, and links for the others. */
function showApproval(approval: Approval, stream: ChatResponseStream, writer: PartWriter): void {
  const { parts, choices } = approvalParts(approval);
  for (const part of parts) writer.write(part);
  const [first, ...others] = choices;
  if (first !== undefined)
    showButton(stream, 'helios.answerApproval', first[0], approval.id, first[1]);
  writer.write({
    kind: 'links',
    links: others.map(([title, choice]) => ({ title, args: [approval.id, choice] })),
  });
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
  paused: 'Send a message to resume. Runs continue in the meantime.',
  ended: '',
  time: '',
  yielded: '',
  cancelled: 'Send a message to resume. Runs continue in the meantime.',
  failed: '',
};
