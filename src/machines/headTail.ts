/**
 * Stores the first and last bytes of a stream of any length in bounded memory, and counts the
 * omitted bytes.
 */
export class HeadTail {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  #head: Uint8Array[] = [];
  #headBytes = 0;
  #tail: Uint8Array[] = [];
  #tailBytes = 0;
  #totalBytes = 0;

  /** @param maxBytes Bytes to store in total: half from the start, half from the end. */
  constructor(maxBytes: number) {
    this.#headLimit = Math.floor(maxBytes / 2);
    this.#tailLimit = maxBytes - this.#headLimit;
  }

  push(bytes: Uint8Array): void {
    this.#totalBytes += bytes.length;
    const forHead = Math.min(bytes.length, this.#headLimit - this.#headBytes);
    if (forHead > 0) {
      this.#head.push(bytes.subarray(0, forHead));
      this.#headBytes += forHead;
    }
    if (forHead < bytes.length)
      this.#pushTail(bytes.subarray(Math.max(forHead, bytes.length - this.#tailLimit)));
  }

  get omittedBytes(): number {
    return this.#totalBytes - this.#headBytes - Math.min(this.#tailBytes, this.#tailLimit);
  }

  /**
   * Returns the stored bytes as text (UTF-8), with a marker that states the number of omitted
   * bytes.
   */
  text(): string {
    const tail = Buffer.concat(this.#tail);
    const head = Buffer.concat(this.#head);
    const omitted = this.omittedBytes;
    if (omitted === 0) return Buffer.concat([head, tail]).toString('utf8');
    const keptTail = tail.subarray(Math.max(0, tail.length - this.#tailLimit));
    return `${wholeEnd(head).toString('utf8')}\n[… ${omitted} bytes left out …]\n${wholeStart(keptTail).toString('utf8')}`;
  }

  #pushTail(bytes: Uint8Array): void {
    this.#tail.push(bytes);
    this.#tailBytes += bytes.length;
    if (this.#tailBytes <= this.#tailLimit * 2) return;
    // Copy the tail only when it has reached twice its limit, so that the number of copied bytes
    // stays proportional to the length of the stream. The copy frees the memory of the omitted
    // bytes.
    const keptTail = Buffer.concat(this.#tail).subarray(-this.#tailLimit);
    this.#tail = [Buffer.from(keptTail)];
    this.#tailBytes = keptTail.length;
  }
}

const isContinuation = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80;

/** Returns the bytes without an incomplete character at the start. */
function wholeStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start++;
  return bytes.subarray(start);
}

/** Returns the bytes without an incomplete character at the end. */
function wholeEnd(bytes: Buffer): Buffer {
  let lead = bytes.length - 1;
  while (lead > bytes.length - 4 && isContinuation(bytes[lead])) lead--;
  const first = bytes[lead] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return lead >= 0 && bytes.length - lead < length ? bytes.subarray(0, lead) : bytes;
}
