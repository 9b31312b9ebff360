/** The session that the next `/follow` shows, and the sessions that the chat is showing now. */
export class FollowTarget {
  readonly #followed = new Map<string, number>();
  #wanted: string | undefined;

  want(sessionId: string): void {
    this.#wanted = sessionId;
  }

  /**
   * Returns the session to follow, only once: a later `/follow` that the user types refers to the
   * session of the chat.
   */
  take(): string | undefined {
    const wanted = this.#wanted;
    this.#wanted = undefined;
    return wanted;
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
