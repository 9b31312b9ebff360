import { inspect } from 'node:util';
import type { Logger } from '../../src/base/logger.ts';

/** A log that a test can read. */
export class KeptLog implements Logger {
  text = '';
  readonly debug = (...parts: unknown[]): void => this.#add(parts);
  readonly info = (...parts: unknown[]): void => this.#add(parts);
  readonly warn = (...parts: unknown[]): void => this.#add(parts);
  readonly error = (...parts: unknown[]): void => this.#add(parts);

  #add(parts: readonly unknown[]): void {
    this.text += `${parts.map((part) => (typeof part === 'string' ? part : inspect(part))).join(' ')}\n`;
  }
}
