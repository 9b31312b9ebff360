import { ChatResponseTurn, type ChatContext } from 'vscode';
import type { Session } from '../../agent/contract/sessions.ts';
import type { Clock } from '../../base/clock.ts';
import { isOpen } from '../../presentation/sessions/sessionText.ts';
import type { OpenSessions } from '../window/openSessions.ts';

/**
 * Time after the end of a session during which a new message is still treated as a message to that
 * session: VS Code delivers a message only after the open chat request has ended, so the user may
 * have typed the message while the session was running.
 */
const heldBackMs = 10_000;

/** Finds the session that a chat request refers to. */
export class MeantSession {
  readonly #sessions: OpenSessions;
  readonly #clock: Clock;
  /** By session id: when the chat showed the session's end, in milliseconds since the epoch. */
  readonly #endedMs = new Map<string, number>();

  constructor(sessions: OpenSessions, clock: Clock) {
    this.#sessions = sessions;
    this.#clock = clock;
  }

  /** Records that the chat showed the end of a session. */
  ended({ id }: Session): void {
    this.#endedMs.set(id, this.#clock.now());
  }

  /** Returns the session that the latest response in this chat was about. */
  mentioned({ history }: ChatContext): Session | undefined {
    const results = history.flatMap((each) =>
      each instanceof ChatResponseTurn ? [each.result.metadata] : [],
    );
    const ids = results.flatMap((data) =>
      typeof data?.sessionId === 'string' ? [data.sessionId] : [],
    );
    return this.#sessions.get(ids.at(-1) ?? '');
  }

  /**
   * Returns the session that a message steers: the session that this chat last mentioned, if that
   * session has not ended; otherwise the newest session that has not ended.
   */
  steered(context: ChatContext): Session | undefined {
    const lastSession = this.mentioned(context);
    const isMeant =
      lastSession !== undefined && (isOpen(lastSession.state) || this.#wasHeldBack(lastSession));
    return isMeant ? lastSession : this.#sessions.going()[0];
  }

  /**
   * Whether VS Code probably delivered a message to a running session only after the session had
   * ended. The message then goes to the ended session instead of starting a new goal.
   */
  #wasHeldBack({ id }: Session): boolean {
    const endedMs = this.#endedMs.get(id);
    return endedMs !== undefined && this.#clock.now() - endedMs < heldBackMs;
  }
}
