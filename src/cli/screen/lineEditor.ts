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
  /** The unfinished line, stored while other code reads from the terminal. */
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
    // Discard the output of readline, because the screen shows the line.
    const output = new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input, output, terminal: true, history: this.#history });
    this.#lines = lines;
    lines.on('line', (line) => {
      onChange();
      if (line.trim() !== '') onLine(line.trim());
    });
    lines.on('history', (history: string[]) => (this.#history = history));
    lines.on('SIGINT', onInterrupt);
    // Ignore the error of a closed terminal, because a signal reports it.
    lines.on('error', () => this.stop());
    lines.on('close', () => {
      if (this.#lines === lines) this.#lines = undefined;
    });
    input.on('keypress', this.#onKey);
    if (this.#kept !== '') lines.write(this.#kept);
    this.#kept = '';
  }

  /**
   * Stops reading keys, so that other code can read from the terminal. Stores the unfinished line.
   */
  stop(): void {
    const lines = this.#lines;
    if (lines === undefined) return;
    this.#kept = lines.line;
    this.#lines = undefined;
    this.#options.input.off('keypress', this.#onKey);
    lines.close();
  }

  /**
   * Returns the typed line, with a mark at the cursor unless the cursor is at the end; `undefined`
   * while the editor is stopped.
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
