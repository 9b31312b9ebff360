/** Reads a window of lines from a file of any size, in chunks. */
import type { Machine } from '../../machines/machine.ts';

export interface LineWindow {
  readonly lines: readonly string[];
  /**
   * Number of lines in the whole file, including a last line without a newline. `undefined` if the
   * file is too long to count.
   */
  readonly total: number | undefined;
}

const pieceBytes = 1024 * 1024;
const maxScanBytes = 256 * 1024 * 1024;
/** Maximum number of bytes that are read of a line, because no more are ever shown. */
const maxLineBytes = 64 * 1024;
const newline = 0x0a;

/**
 * Reads the lines `from` (1-based) to `to` of `path`, without line endings. Rejects with
 * `MachineFailure`.
 */
export async function readLines(
  machine: Machine,
  path: string,
  from: number,
  to: number,
): Promise<LineWindow> {
  const window = new Window(from, to);
  let offset = 0;
  for (;;) {
    const piece = await machine.readFile(path, { offset, maxBytes: pieceBytes });
    window.push(piece);
    offset += piece.length;
    if (piece.length < pieceBytes) return window.end(true);
    if (offset >= maxScanBytes && window.isFull) return window.end(false);
  }
}

class Window {
  readonly #from: number;
  readonly #to: number;
  readonly #lines: string[] = [];
  #number = 1;
  #line: Uint8Array[] = [];
  #lineBytes = 0;
  #isLineOpen = false;

  constructor(from: number, to: number) {
    this.#from = from;
    this.#to = to;
  }

  get isFull(): boolean {
    return this.#number > this.#to;
  }

  push(bytes: Uint8Array): void {
    let start = 0;
    while (start < bytes.length) {
      const at = bytes.indexOf(newline, start);
      this.#keep(bytes.subarray(start, at < 0 ? bytes.length : at));
      if (at < 0) return;
      this.#close();
      start = at + 1;
    }
  }

  end(isWhole: boolean): LineWindow {
    if (this.#isLineOpen) this.#close();
    return { lines: this.#lines, total: isWhole ? this.#number - 1 : undefined };
  }

  #keep(bytes: Uint8Array): void {
    this.#isLineOpen = true;
    const isWanted = this.#number >= this.#from && this.#number <= this.#to;
    if (!isWanted || this.#lineBytes >= maxLineBytes) return;
    this.#line.push(bytes);
    this.#lineBytes += bytes.length;
  }

  #close(): void {
    const isWanted = this.#number >= this.#from && this.#number <= this.#to;
    if (isWanted) this.#lines.push(Buffer.concat(this.#line).toString('utf8').replace(/\r$/, ''));
    this.#line = [];
    this.#lineBytes = 0;
    this.#isLineOpen = false;
    this.#number++;
  }
}
