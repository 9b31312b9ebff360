/** Number of bytes of early output after which no more is taken. */
const maxBytes = 256 * 1024;

interface TakenOutput {
  readonly pieces: readonly (readonly [bytes: Uint8Array, offset: number])[];
  /** Whether the output after the pieces was not taken, so that it has to be read later. */
  readonly isCut: boolean;
}

/**
 * Output that was read before it can be used. Stores the start of the output up to a limit: the
 * process of a run may print for ever before its process file appears.
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

  /** Whether no more output is taken. */
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
