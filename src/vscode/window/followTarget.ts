/**
 * Stores the session that the next `/follow` shows, and the sessions that the chat is showing now.
 */
export class FollowTarget {
  readonly #followed = new Map<string, number>();
  #nextId: string | undefined;

  want(sessionId: string): void {
    this.#nextId = sessionId;
  }

  /**
   * Returns the id of the session that the next `/follow` shows, and clears it, so that a `/follow`
   * that the user types later refers to the session of the chat.
   */
  take(): string | undefined {
    const id = this.#nextId;
    this.#nextId = undefined;
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
