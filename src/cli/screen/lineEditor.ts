/** Edits the line that the user types while a screen is redrawn above it. */
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Disposable } from '../../base/disposable.ts';
import type { TerminalInput } from '../cliDeps.ts';

export interface LineListener {
  /** Called with a line that is not blank, after Enter. */
  onLine(text: string): void;
  /** Called for Ctrl+C, which is no signal while a line is edited. */
  onInterrupt(): void;
}

export interface LineEditorOptions extends LineListener {
  readonly input: TerminalInput;
  /** Called when the line or the cursor has changed. */
  onChange(): void;
}

const cursorMark = '▏';

export class LineEditor implements Disposable {
  readonly #options: LineEditorOptions;
  #lines: Interface | undefined;
  /** The unfinished line while other code reads from the terminal. */
  #kept = '';
  #history: string[] = [];
  readonly #onKey = (): void => this.#options.onChange();

  constructor(options: LineEditorOptions) {
    this.#options = options;
  }

  /** Starts to read keys, or continues with what was typed before `stop`. */
  start(): void {
    if (this.#lines !== undefined) return;
    const { input, onLine, onInterrupt, onChange } = this.#options;
    // Readline edits the line; the screen shows it.
    const output = new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input, output, terminal: true, history: this.#history });
    this.#lines = lines;
    lines.on('line', (line) => {
      onChange();
      if (line.trim() !== '') onLine(line.trim());
    });
    lines.on('history', (history: string[]) => (this.#history = history));
    lines.on('SIGINT', onInterrupt);
    // The terminal was closed, which is reported as a signal.
    lines.on('error', () => this.stop());
    lines.on('close', () => {
      if (this.#lines === lines) this.#lines = undefined;
    });
    input.on('keypress', this.#onKey);
    if (this.#kept !== '') lines.write(this.#kept);
    this.#kept = '';
  }

  /** Leaves the terminal to other code. */
  stop(): void {
    const lines = this.#lines;
    if (lines === undefined) return;
    this.#kept = lines.line;
    this.#lines = undefined;
    this.#options.input.off('keypress', this.#onKey);
    lines.close();
  }

  /**
   * Returns the line with a mark at the cursor, if that is not at the end; `undefined` while no line
   * can be typed.
   */
  get shown(): string | undefined {
    if (this.#lines === undefined) return undefined;
    const { line, cursor } = this.#lines;
    return cursor >= line.length
      ? line
      : `${line.slice(0, cursor)}${cursorMark}${line.slice(cursor)}`;
  }

  dispose(): void {
    this.stop();
  }
}
