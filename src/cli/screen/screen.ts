/**
 * A terminal with a scrolling transcript and a block at the bottom that is redrawn in place. Each
 * change is one write, to avoid flicker. Only the block is ever erased. Applies `forTerminal` to
 * every text.
 */
import type { Clock } from '../../base/clock.ts';
import { DisposableStore, type Disposable, toDisposable } from '../../base/disposable.ts';
import type { Output } from '../cliDeps.ts';
import { forTerminal, lineForTerminal } from './terminalText.ts';
import { rowsOf, wrap } from './textWidth.ts';

const redrawMs = 80;
const maxTextWidth = 100;
const defaultColumns = 80;
const defaultRows = 24;

/**
 * Wraps the text in a synchronized update, so that the terminal draws it in one step. A terminal
 * without this feature ignores the escape codes.
 */
const together = (text: string): string => `\u001b[?2026h${text}\u001b[?2026l`;

export class Screen implements Disposable {
  readonly #output: Output;
  readonly #clock: Clock;
  readonly #block: () => readonly string[];
  readonly #owned = new DisposableStore();
  /** The lines of the block at the bottom, as last written. */
  #shown: readonly string[] = [];
  /** The unfinished last line of streamed text. */
  #partial = '';
  #timer: Disposable | undefined;
  #isHidden = false;
  /** Text that is written after `resume`; `undefined` unless the screen is paused. */
  #held: string | undefined;
  #isDisposed = false;

  constructor(output: Output, clock: Clock, block: () => readonly string[]) {
    this.#output = output;
    this.#clock = clock;
    this.#block = block;
    const onResize = (): void => this.#draw('');
    output.on('resize', onResize);
    this.#owned.add(toDisposable(() => output.off('resize', onResize)));
  }

  get width(): number {
    // Leaves the last column free, because terminals differ in when they wrap a full line.
    return Math.max(20, this.#output.columns ?? defaultColumns) - 1;
  }

  get rows(): number {
    return this.#output.rows ?? defaultRows;
  }

  /** Adds complete lines to the transcript. */
  print(lines: readonly string[]): void {
    const wrapped = lines
      .map(forTerminal)
      .flatMap((line) => (line.includes('\u001b') ? [line] : wrap(line, this.#textWidth)));
    this.#draw(this.#takePartial() + wrapped.map((line) => `${line}\n`).join(''));
  }

  /** Adds streamed text to the transcript as it arrives, wrapped between words. */
  stream(text: string): void {
    const lines = (this.#partial + forTerminal(text))
      .split('\n')
      .flatMap((line) => wrap(line, this.#textWidth));
    this.#partial = lines.pop() ?? '';
    const done = lines.map((line) => `${line}\n`).join('');
    if (done === '') this.redraw();
    else this.#draw(done);
  }

  /** Ends the line of streamed text. */
  endStream(): void {
    const rest = this.#takePartial();
    if (rest !== '') this.#draw(rest);
  }

  /**
   * Redraws the block after a short delay, so that changes within the delay are drawn in one step.
   */
  redraw(): void {
    this.#timer ??= this.#clock.after(redrawMs, () => this.#draw(''));
  }

  /** Hides the block permanently. Text can still be added to the transcript. */
  hide(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#draw(held);
    this.endStream();
    this.#isHidden = true;
    this.#draw('');
  }

  /** Hides the block so that other code can write. Holds all text back until `resume` is called. */
  pause(): void {
    this.hide();
    this.#held = '';
  }

  resume(): void {
    const held = this.#held ?? '';
    this.#held = undefined;
    this.#isHidden = false;
    this.#draw(held);
  }

  /** Removes the block, and leaves the transcript on the terminal. */
  dispose(): void {
    if (this.#isDisposed) return;
    this.hide();
    this.#isDisposed = true;
    this.#timer?.dispose();
    this.#owned.dispose();
  }

  get #textWidth(): number {
    return Math.min(this.width, maxTextWidth);
  }

  #takePartial(): string {
    const rest = this.#partial === '' ? '' : `${this.#partial}\n`;
    this.#partial = '';
    return rest;
  }

  #draw(text: string): void {
    if (this.#isDisposed) return;
    this.#timer?.dispose();
    this.#timer = undefined;
    if (this.#held !== undefined) {
      this.#held += text;
      return;
    }
    const below = this.#isHidden
      ? []
      : [
          ...(this.#partial === '' ? [] : [this.#partial]),
          '',
          ...this.#block().map(lineForTerminal),
        ];
    if (text === '' && sameLines(below, this.#shown)) return;
    const erase = eraseLines(this.#shown, this.#output.columns ?? defaultColumns);
    this.#shown = below;
    this.#output.write(together(erase + text + below.join('\n')));
  }
}

const sameLines = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((line, index) => line === b[index]);

/**
 * Returns the codes that move to the first column of the first of `lines` and erase everything
 * below. The cursor must be at the end of `lines`.
 */
function eraseLines(lines: readonly string[], columns: number): string {
  if (lines.length === 0) return '';
  // After the window was made narrower, a line may take several rows.
  const rows = lines.reduce((sum, line) => sum + rowsOf(line, columns), 0);
  return `\r${rows > 1 ? `\u001b[${rows - 1}A` : ''}\u001b[J`;
}
