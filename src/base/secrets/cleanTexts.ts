/**
 * Remembers texts that contain no secret, so that the requests of a session need not be searched
 * again.
 */

/** Maximum number of characters per generation. */
const maxChars = 4_000_000;

export class CleanTexts {
  #young = new Set<string>();
  #old = new Set<string>();
  #youngChars = 0;

  has(text: string): boolean {
    if (this.#young.has(text)) return true;
    if (!this.#old.has(text)) return false;
    this.add(text);
    return true;
  }

  add(text: string): void {
    if (this.#youngChars + text.length > maxChars) {
      this.#old = this.#young;
      this.#young = new Set();
      this.#youngChars = 0;
    }
    this.#young.add(text);
    this.#youngChars += text.length;
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#youngChars = 0;
  }
}
