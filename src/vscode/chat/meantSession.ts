import { ChatResponseTurn, type ChatContext } from 'vscode';
import type { Session } from '../../agent/contract/sessions.ts';
import type { Clock } from '../../base/clock.ts';
import { isOpen } from '../../presentation/sessions/sessionText.ts';
import type { OpenSessions } from '../window/openSessions.ts';

/**
 * Time after the end of a session during which a message may still have been meant for that
 * session. VS Code holds messages back while a chat request is open and may deliver them late on a
 * busy machine.
 */
const heldBackMs = 10_000;

/** Finds the session that a chat request refers to. */
export class MeantSession {
  readonly #sessions: OpenSessions;
  readonly #clock: Clock;
  /** Per session: when the chat last showed its end, in milliseconds since the epoch. */
  readonly #endedMs = new Map<string, number>();

  constructor(sessions: OpenSessions, clock: Clock) {
    this.#sessions = sessions;
    this.#clock = clock;
  }

  /** Records that the chat showed the end of a session. */
  ended({ id }: Session): void {
    this.#endedMs.set(id, this.#clock.now());
  }

  /** The session that this chat last referred to. */
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
   * The session that a message steers: the last one of this chat if it is still open, otherwise the
   * newest open session.
   */
  steered(context: ChatContext): Session | undefined {
    const last = this.mentioned(context);
    const isMeant = last !== undefined && (isOpen(last.state) || this.#wasHeldBack(last));
    return isMeant ? last : this.#sessions.going()[0];
  }

  /**
   * Whether a message was typed for the running session but delivered by VS Code only after the
   * session had ended. Such a message does not start a new goal.
   */
  #wasHeldBack({ id }: Session): boolean {
    const endedMs = this.#endedMs.get(id);
    return endedMs !== undefined && this.#clock.now() - endedMs < heldBackMs;
  }
}
