/** Makes text safe for a terminal. Every output of the command goes through `forTerminal`. */
import { randomInt } from 'node:crypto';
import { escapeHidden } from '../../base/hiddenCharacters.ts';
import type { Output } from '../cliDeps.ts';

/**
 * Part of every escape code that Helios adds to a text. Random, so that no text of a model, a
 * process or a file can contain it. `forTerminal` removes this part before the text reaches a
 * terminal.
 */
const token = Array.from({ length: 3 }, () => randomInt(1000, 10_000)).join(';');
const ownCode = new RegExp(`\\u001b\\[(\\d+);${token}m`);

/** Returns the escape code of a style. `forTerminal` keeps this code and no other. */
export const styleCode = (parameter: number): string => `\u001b[${parameter};${token}m`;

/**
 * Replaces each control or invisible character with its escape, such as `\u202e`. Keeps tabs and
 * line feeds. The value of a JSON text stays the same.
 */
export const visibleText = (text: string): string => escapeHidden(text.replaceAll('\r\n', '\n'));

/** Returns `visibleText` with the codes of the styles that Helios added. */
export const forTerminal = (text: string): string =>
  text
    .split(ownCode)
    .map((part, index) => (index % 2 === 1 ? `\u001b[${part}m` : visibleText(part)))
    .join('');

/** Returns the text for one line, or one cell of a table: `forTerminal` without line breaks. */
export const lineForTerminal = (text: string): string => forTerminal(singleLine(text));

/** Replaces line breaks and tabs with spaces. */
export const singleLine = (text: string): string => text.replace(/[\n\r\t\u2028\u2029]+/g, ' ');

/** An output whose `write` applies `forTerminal`. */
export class TerminalOutput implements Output {
  /** The same output without `forTerminal`, for cursor movements and for data in a pipe. */
  readonly raw: Output;

  constructor(raw: Output) {
    this.raw = raw;
  }

  get isTTY(): boolean {
    return this.raw.isTTY === true;
  }

  get columns(): number | undefined {
    return this.raw.columns;
  }

  get rows(): number | undefined {
    return this.raw.rows;
  }

  write(text: string): unknown {
    return this.raw.write(forTerminal(text));
  }

  on(event: 'resize', listener: () => void): unknown {
    return this.raw.on(event, listener);
  }

  off(event: 'resize', listener: () => void): unknown {
    return this.raw.off(event, listener);
  }
}
