/** Maximum number of bytes of early output that are stored. */
const maxBytes = 256 * 1024;

interface TakenOutput {
  readonly pieces: readonly (readonly [bytes: Uint8Array, offset: number])[];
  /**
   * True if the store was full, so that the output after the stored pieces must be read again
   * later.
   */
  readonly isCut: boolean;
}

/**
 * Stores the output that is read before the process of the run is known. Stores only the start of
 * the output, because a run may print without end before its process file appears.
 */
export class EarlyOutput {
  #pieces: (readonly [bytes: Uint8Array, offset: number])[] = [];
  #heldBytes = 0;
  #isCut = false;

  add(bytes: Uint8Array, offset: number): void {
    if (this.#isCut) return;
    this.#pieces.push([bytes, offset]);
    this.#heldBytes += bytes.length;
    this.#isCut = this.#heldBytes >= maxBytes;
  }

  /** True if no more output is stored. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Removes and returns the output. */
  takeAll(): TakenOutput {
    const taken = { pieces: this.#pieces, isCut: this.#isCut };
    this.#pieces = [];
    this.#heldBytes = 0;
    this.#isCut = false;
    return taken;
  }
}
