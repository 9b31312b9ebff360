import { ChatResponseTurn, type ChatContext } from 'vscode';
import type { Session } from '../../agent/contract/sessions.ts';
import type { Clock } from '../../base/clock.ts';
import { isOpen } from '../../presentation/sessions/sessionText.ts';
import type { OpenSessions } from '../window/openSessions.ts';

/**
 * Time for VS Code to deliver what it held back while the chat request was open, also on a busy
 * machine.
 */
const heldBackMs = 10_000;

/** Finds the session that a request of the chat means. */
export class MeantSession {
  readonly #sessions: OpenSessions;
  readonly #clock: Clock;
  /** When each session was last shown to its end, in milliseconds since the epoch. */
  readonly #endedMs = new Map<string, number>();

  constructor(sessions: OpenSessions, clock: Clock) {
    this.#sessions = sessions;
    this.#clock = clock;
  }

  /** Records that a session was shown to its end. */
  ended({ id }: Session): void {
    this.#endedMs.set(id, this.#clock.now());
  }

  /** The last session of this chat. */
  mentioned({ history }: ChatContext): Session | undefined {
    const results = history.flatMap((each) =>
      each instanceof ChatResponseTurn ? [each.result.metadata] : [],
    );
    const ids = results.flatMap((data) =>
      typeof data?.sessionId === 'string' ? [data.sessionId] : [],
    );
    return this.#sessions.get(ids.at(-1) ?? '');
  }

  /** The last session of this chat if it is still open, else the newest open session. */
  steered(context: ChatContext): Session | undefined {
    const last = this.mentioned(context);
    const isMeant = last !== undefined && (isOpen(last.state) || this.#wasHeldBack(last));
    return isMeant ? last : this.#sessions.going()[0];
  }

  /**
   * Whether a message was meant to steer, and VS Code delivered it only after the session had
   * ended. Such a message is not a new goal.
   */
  #wasHeldBack({ id }: Session): boolean {
    const endedMs = this.#endedMs.get(id);
    return endedMs !== undefined && this.#clock.now() - endedMs < heldBackMs;
  }
}
