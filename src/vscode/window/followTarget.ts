/**
 * Stores the session that the next `/follow`, or its goal as a message, shows, and the sessions that the chat is showing now.
 */
export class FollowTarget {
  readonly #followed = new Map<string, number>();
  #nextId: string | undefined;
  /** Text of the message that follows the session in place of `/follow`. */
  #message: string | undefined;

  /**
   * Stores the session for the next `/follow`. Returns the text that follows it: the goal of a new
   * session, so that the chat begins with it, if the chat reads nothing else into it.
   */
  want(sessionId: string, goal?: string): string {
    this.#nextId = sessionId;
    this.#message = goal !== undefined && isPlain.test(goal) ? goal : undefined;
    return this.#message ?? '/follow';
  }

  /** Returns the id of the new session whose goal the message is, and clears it. */
  takeNew(message: string): string | undefined {
    return this.#message !== undefined && words(message) === words(this.#message)
      ? this.take()
      : undefined;
  }

  /**
   * Returns the id of the session that the next `/follow` shows, and clears it, so that a `/follow`
   * that the user types later refers to the session of the chat.
   */
  take(): string | undefined {
    const id = this.#nextId;
    this.#nextId = this.#message = undefined;
    return id;
  }

  isFollowed(sessionId: string): boolean {
    return (this.#followed.get(sessionId) ?? 0) > 0;
  }

  /**
   * Records that the chat shows a session. The returned function records that the chat no longer
   * shows it.
   */
  begin(sessionId: string): () => void {
    this.#followed.set(sessionId, (this.#followed.get(sessionId) ?? 0) + 1);
    return () => this.#followed.set(sessionId, (this.#followed.get(sessionId) ?? 1) - 1);
  }
}

/** Text without the marks of commands, participants and references, and without line breaks. */
const isPlain = /^(?!\s*[/@#])(?!.*\s[/@#]\w)[^\n\r]+$/;

const words = (text: string): string => text.trim().replace(/\s+/g, ' ');
