/** Maximum number of bytes of early output in memory. */
const maxBytes = 256 * 1024;

interface TakenOutput {
  readonly pieces: readonly (readonly [bytes: Uint8Array, offset: number])[];
  /** Whether output after the pieces was dropped, so that it has to be read again. */
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
    this.#isCut ||= this.#heldBytes + bytes.length > maxBytes;
    if (this.#isCut) return;
    this.#pieces.push([bytes, offset]);
    this.#heldBytes += bytes.length;
  }

  /** Whether output was dropped. */
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
