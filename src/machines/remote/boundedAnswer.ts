/**
 * Collects the output of a command on a host, up to a limit. If the output is longer, the command
 * is aborted.
 */
export class BoundedAnswer {
  readonly #maxBytes: number;
  readonly #over = new AbortController();
  #pieces: Uint8Array[] = [];
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Aborted when the output is longer than the limit. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  push(bytes: Uint8Array): void {
    if (this.signal.aborted) return;
    this.#heldBytes += bytes.length;
    this.#pieces.push(bytes);
    if (this.#heldBytes <= this.#maxBytes) return;
    this.#pieces = [];
    this.#over.abort();
  }

  bytes(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}
