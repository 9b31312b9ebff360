import { ChatResponseTurn, type ChatContext } from 'vscode';
import type { Session } from '../../agent/contract/sessions.ts';
import type { Clock } from '../../base/clock.ts';
import { isOpen } from '../../presentation/sessions/sessionText.ts';
import type { OpenSessions } from '../window/openSessions.ts';

/**
 * Until VS Code has delivered what it held back while the chat request was open, on a busy machine
 * too.
 */
const heldBackMs = 10_000;

/** Finds the session that a request of the chat means. */
export class MeantSession {
  readonly #sessions: OpenSessions;
  readonly #clock: Clock;
  /** When each session was last shown to its end. */
  readonly #endedMs = new Map<string, number>();

  constructor(sessions: OpenSessions, clock: Clock) {
    this.#sessions = sessions;
    this.#clock = clock;
  }

  /** A session was shown to its end. */
  ended({ id }: Session): void {
    this.#endedMs.set(id, this.#clock.now());
  }

  /** The session that this chat spoke of last. */
  mentioned({ history }: ChatContext): Session | undefined {
    const results = history.flatMap((each) =>
      each instanceof ChatResponseTurn ? [each.result.metadata] : [],
    );
    const ids = results.flatMap((data) =>
      typeof data?.sessionId === 'string' ? [data.sessionId] : [],
    );
    return this.#sessions.get(ids.at(-1) ?? '');
  }

  /** The session that this chat spoke of last, where it goes on; else the newest that goes on. */
  steered(context: ChatContext): Session | undefined {
    const last = this.mentioned(context);
    const isMeant = last !== undefined && (isOpen(last.state) || this.#wasHeldBack(last));
    return isMeant ? last : this.#sessions.going()[0];
  }

  /**
   * A message that was meant to steer, and that VS Code delivers only now that the session has
   * ended: no new goal.
   */
  #wasHeldBack({ id }: Session): boolean {
    const endedMs = this.#endedMs.get(id);
    return endedMs !== undefined && this.#clock.now() - endedMs < heldBackMs;
  }
}
