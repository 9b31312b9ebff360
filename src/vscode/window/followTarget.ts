/** Which session the next `/follow` means, and which sessions the chat is showing now. */
export class FollowTarget {
  readonly #followed = new Map<string, number>();
  #wanted: string | undefined;

  want(sessionId: string): void {
    this.#wanted = sessionId;
  }

  /** Said once: a later `/follow` that a user types means its own chat's session. */
  take(): string | undefined {
    const wanted = this.#wanted;
    this.#wanted = undefined;
    return wanted;
  }

  isFollowed(sessionId: string): boolean {
    return (this.#followed.get(sessionId) ?? 0) > 0;
  }

  /** Call the result when the chat no longer shows the session. */
  begin(sessionId: string): () => void {
    this.#followed.set(sessionId, (this.#followed.get(sessionId) ?? 0) + 1);
    return () => this.#followed.set(sessionId, (this.#followed.get(sessionId) ?? 1) - 1);
  }
}
