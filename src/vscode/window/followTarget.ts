/** The session that the next `/follow` means, and the sessions that the chat is showing. */
export class FollowTarget {
  readonly #followed = new Map<string, number>();
  #wanted: string | undefined;

  want(sessionId: string): void {
    this.#wanted = sessionId;
  }

  /**
   * Returns the target once: a later `/follow` typed by a user means the session of its own chat.
   */
  take(): string | undefined {
    const wanted = this.#wanted;
    this.#wanted = undefined;
    return wanted;
  }

  isFollowed(sessionId: string): boolean {
    return (this.#followed.get(sessionId) ?? 0) > 0;
  }

  /** Marks a session as shown; call the result when the chat no longer shows it. */
  begin(sessionId: string): () => void {
    this.#followed.set(sessionId, (this.#followed.get(sessionId) ?? 0) + 1);
    return () => this.#followed.set(sessionId, (this.#followed.get(sessionId) ?? 1) - 1);
  }
}
