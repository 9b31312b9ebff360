/** Shows a session live in a terminal: transcript above, block with runs and status below. */
import type { JournalEvent, StreamEvent } from '../../agent/journal/events.ts';
import type { Clock } from '../../base/clock.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { cleanText } from '../../base/text.ts';
import { retryText } from '../../presentation/sessions/retryText.ts';
import { EventText } from './eventText.ts';
import { LineEditor, type LineListener } from './lineEditor.ts';
import { bestRuns, liveBlock, type LiveValues } from './liveBlock.ts';
import { Screen } from './screen.ts';
import type { Style } from './style.ts';
import { lineForTerminal } from './terminalText.ts';
import { fitToWidth, textWidth } from './textWidth.ts';
import { replyText, type SessionView, type ShownSession } from './views.ts';
import type { Output, TerminalInput } from '../cliDeps.ts';

const tickMs = 1000;
const maxShownRuns = 8;

export interface TerminalViewOptions {
  readonly input: TerminalInput;
  readonly output: Output;
  readonly clock: Clock;
  readonly style: Style;
  readonly values: LiveValues;
}

export class TerminalView implements SessionView, Disposable {
  readonly #options: TerminalViewOptions;
  readonly #screen: Screen;
  readonly #text: EventText;
  readonly #owned = new DisposableStore();
  #session: ShownSession | undefined;
  #streamed = '';
  #isAside = false;
  #tick: Disposable | undefined;
  #editor: LineEditor | undefined;

  constructor(options: TerminalViewOptions) {
    this.#options = options;
    this.#screen = this.#owned.add(new Screen(options.output, options.clock, () => this.#block()));
    this.#text = new EventText(options.style, () => this.#screen.width);
    this.#schedule();
  }

  event(event: JournalEvent, session: ShownSession): void {
    this.#session = session;
    if (event.type === 'model.replied') this.#reply(event);
    const lines = this.#text.linesOf(event, session.state);
    if (lines.length > 0) this.#screen.print(lines);
    else this.#screen.redraw();
  }

  stream(event: StreamEvent): void {
    if (event.type === 'text.delta') {
      if (this.#streamed === '') this.#screen.print(['']);
      this.#streamed += event.text;
      this.#screen.stream(cleanText(event.text));
    }
    if (event.type === 'notice') this.notice(event.text);
    if (event.type === 'text.discarded') {
      this.#streamed = '';
      this.#screen.endStream();
      this.notice(retryText(event));
    }
  }

  /** Draws the block again, because values in it have changed. */
  redraw(): void {
    this.#screen.redraw();
  }

  notice(text: string): void {
    this.#screen.print([this.#options.style.dim(cleanText(text))]);
  }

  listen(listener: LineListener): void {
    const { input } = this.#options;
    const onChange = (): void => this.#screen.redraw();
    this.#editor = this.#owned.add(new LineEditor({ ...listener, input, onChange }));
    if (!this.#isAside) this.#editor.start();
  }

  end(lines: readonly string[]): void {
    this.#editor?.stop();
    this.#tick?.dispose();
    this.#screen.hide();
    this.#screen.print(lines);
    this.dispose();
  }

  async aside<T>(ask: () => Promise<T>): Promise<T> {
    this.#isAside = true;
    this.#editor?.stop();
    this.#screen.pause();
    try {
      return await ask();
    } finally {
      this.#isAside = false;
      this.#screen.resume();
      this.#editor?.start();
    }
  }

  dispose(): void {
    this.#tick?.dispose();
    this.#owned.dispose();
  }

  #reply(event: Extract<JournalEvent, { type: 'model.replied' }>): void {
    const isShown = this.#streamed.trim() !== '';
    this.#streamed = '';
    this.#screen.endStream();
    const text = replyText(event);
    if (!isShown && text !== '') this.#screen.stream(`\n${text}\n`);
  }

  #block(): readonly string[] {
    const { clock, style, values } = this.#options;
    if (this.#session === undefined) return [];
    const maxRuns = Math.max(1, Math.min(maxShownRuns, this.#screen.rows - 6));
    const { state, ledger } = this.#session;
    const lines = liveBlock({
      state,
      best: bestRuns(ledger),
      values,
      nowMs: clock.now(),
      width: this.#screen.width,
      maxRuns,
      style,
    });
    const typed = this.#editor?.shown;
    return typed === undefined ? lines : [...lines, typedLine(typed, this.#screen.width, style)];
  }

  /** Redraws the block every `tickMs`, because it shows durations that change without an event. */
  #schedule(): void {
    this.#tick = this.#options.clock.after(tickMs, () => {
      this.#screen.redraw();
      this.#schedule();
    });
  }
}

const prompt = '> ';
const hint = 'Type a message to the agent, or /help for a list of commands';

/** Returns the prompt and the typed line; only the end of a line that is too long. */
function typedLine(typed: string, width: number, { dim }: Style): string {
  if (typed === '') return dim(fitToWidth(`${prompt}${hint}`, width));
  const characters = [...lineForTerminal(typed)];
  while (textWidth(prompt + characters.join('')) > width) characters.shift();
  return prompt + characters.join('');
}
