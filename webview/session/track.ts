/** The overview: a strip above the timeline that shows the whole session, or the zoomed part. */
import type { MessageConnection } from 'vscode-jsonrpc';
import {
  readTrack,
  type TrackAnswer,
  type TrackAxis,
  type TrackQuery,
} from '../../src/protocol/sessionView.ts';
import { element, setAttribute, setText } from '../shared/dom.ts';
import { listenToGestures } from '../shared/gestures.ts';
import { clampZoom, moved, scaled, type Range } from '../shared/range.ts';
import { readTheme } from '../shared/theme.ts';
import { exactTime, span } from './times.ts';
import { readTones } from './tones.ts';
import {
  barText,
  drawTrack,
  pixelToX,
  trackArea,
  trackHeight,
  xToPixel,
  type TrackStyle,
} from './trackDraw.ts';
import { counted } from './labels.ts';

export interface TrackModel {
  readonly axis: TrackAxis;
  readonly zoom: Range | undefined;
  readonly row: number;
  readonly atMs: number | undefined;
}

export interface TrackEvents {
  zoomTo(range: Range | undefined): void;
  /** Called with the position that the user clicked, on the current axis. */
  goTo(x: number): void;
  goToRow(row: number): void;
  step(by: number): void;
}

export class Track {
  readonly root: HTMLElement;
  readonly #connection: MessageConnection;
  readonly #events: TrackEvents;
  readonly #canvas = element('canvas', { 'aria-hidden': 'true' });
  readonly #hint = element('div', { class: 'track-hint', hidden: true });
  #style: TrackStyle = { theme: readTheme(), tones: readTones() };
  #model: TrackModel = { axis: 'time', zoom: undefined, row: 0, atMs: undefined };
  #track: TrackAnswer | undefined;
  #selection: Range | undefined;
  #isReading = false;
  #isStale = false;

  constructor(connection: MessageConnection, events: TrackEvents) {
    this.#connection = connection;
    this.#events = events;
    const labels = {
      'aria-label': 'Overview of the session',
      'aria-keyshortcuts': 'ArrowLeft ArrowRight + - 0',
    };
    this.root = element(
      'div',
      { class: 'track', tabindex: 0, role: 'group', ...labels },
      this.#canvas,
      this.#hint,
    );
    this.#listen();
    new ResizeObserver(() => void this.refresh()).observe(this.root);
  }

  setTheme(): void {
    this.#style = { theme: readTheme(), tones: readTones() };
    this.#draw();
  }

  render(model: TrackModel): void {
    const before = this.#model;
    this.#model = model;
    if (before.axis !== model.axis || before.zoom !== model.zoom) void this.refresh();
    this.#draw();
  }

  /** Reads the overview again. If called during a read, reads once more afterwards. */
  async refresh(): Promise<void> {
    this.#isStale = true;
    if (this.#isReading || this.root.clientWidth === 0) return;
    this.#isReading = true;
    try {
      while (this.#isStale) {
        this.#isStale = false;
        this.#track = await this.#connection.sendRequest(readTrack, this.#query());
        this.#draw();
      }
    } catch {
      // Keeps showing the old overview. The error is not shown: the view also reads the timeline's
      // rows, and reports the same error when that fails.
      this.#isStale = false;
    } finally {
      this.#isReading = false;
    }
  }

  #query(): TrackQuery {
    const { axis, zoom } = this.#model;
    const { left, right } = trackArea(this.root.clientWidth);
    const pixels = Math.max(1, Math.min(8192, Math.round((right - left) * devicePixelRatio)));
    return { axis, pixels, ...(zoom && { from: zoom.from, to: zoom.to }) };
  }

  #draw(): void {
    const track = this.#track;
    if (track === undefined || track.axis !== this.#model.axis) return;
    const height = `${trackHeight(track.lanes)}px`;
    if (this.root.style.height !== height) this.root.style.height = height;
    const { row, atMs } = this.#model;
    const playhead = track.axis === 'step' ? row : atMs;
    drawTrack(
      this.#canvas,
      { track, shown: track, playhead, selection: this.#selection },
      this.#style,
    );
    setAttribute(this.root, 'aria-description', descriptionOf(track));
  }

  #listen(): void {
    const xAt = (pixel: number): number => pixelToX(pixel, this.#shown(), this.root.clientWidth);
    const range = ([from, to]: readonly [number, number]): Range => ({
      from: xAt(from),
      to: xAt(to),
    });
    listenToGestures(this.root, {
      area: () => trackArea(this.root.clientWidth),
      hover: (pixel) => this.#showHint(pixel),
      select: (pixels) => {
        this.#selection = pixels && range(pixels);
        this.#draw();
      },
      zoomTo: (pixels) => this.#zoom(range(pixels)),
      zoomBy: (factor, pixel) => this.zoomBy(factor, pixel === undefined ? undefined : xAt(pixel)),
      pan: (share) =>
        this.#zoom(moved(this.#shown(), share * (this.#shown().to - this.#shown().from))),
      moveCursor: (share) =>
        this.#events.step(Math.sign(share) * Math.max(1, Math.round(Math.abs(share) * 100))),
      click: (pixel) => this.#goTo(pixel),
      reset: () => this.#events.zoomTo(undefined),
    });
  }

  /** Zooms around `centre`. Default: the selected step or, if it is not in view, the middle. */
  zoomBy(factor: number, centre?: number): void {
    const shown = this.#shown();
    const { axis, row, atMs } = this.#model;
    const own = axis === 'step' ? row : (atMs ?? shown.from);
    const isIn = own >= shown.from && own <= shown.to;
    this.#zoom(scaled(shown, centre ?? (isIn ? own : (shown.from + shown.to) / 2), factor));
  }

  #shown(): Range {
    return this.#track ?? { from: 0, to: 1 };
  }

  #zoom(range: Range): void {
    if (this.#track !== undefined) this.#events.zoomTo(clampZoom(range, this.#track.full));
  }

  #goTo(pixel: number): void {
    const near = this.#near(pixel);
    if (near !== undefined) this.#events.goToRow(near.row);
    else this.#events.goTo(pixelToX(pixel, this.#shown(), this.root.clientWidth));
  }

  /**
   * Returns the mark nearest to the pointer, within 5 pixels: marks are too small to be hit
   * exactly.
   */
  #near(pixel: number) {
    const distance = (at: number): number =>
      Math.abs(xToPixel(at, this.#shown(), this.root.clientWidth) - pixel);
    return this.#track?.marks
      .filter(({ at }) => distance(at) < 5)
      .sort((a, b) => distance(a.at) - distance(b.at))[0];
  }

  #showHint(pixel: number | undefined): void {
    const track = this.#track;
    this.#hint.hidden = pixel === undefined || track === undefined;
    if (pixel === undefined || track === undefined) return;
    const x = pixelToX(pixel, track, this.root.clientWidth);
    const lines = [
      track.axis === 'time' ? exactTime(x) : `Step ${Math.round(x) + 1}`,
      ...thingsAt(track, x, this.#near(pixel)),
    ];
    setText(this.#hint, lines.join('\n'));
    const isRight = pixel > this.root.clientWidth / 2;
    this.#hint.style.left = isRight ? '' : `${pixel + 12}px`;
    this.#hint.style.right = isRight ? `${this.root.clientWidth - pixel + 12}px` : '';
  }
}

const maxNames = 5;

function thingsAt(
  track: TrackAnswer,
  x: number,
  mark: TrackAnswer['marks'][number] | undefined,
): string[] {
  const bars = track.bars.filter(({ from, to }) => from <= x && to >= x);
  const runs = bars.slice(0, maxNames).map(barText);
  const more = bars.length > maxNames ? [`${bars.length - maxNames} more runs`] : [];
  const sleep = track.sleeps.find(({ from, to }) => from <= x && to >= x);
  const slept =
    sleep === undefined
      ? []
      : [`${sleep.why}${track.axis === 'time' ? ` · ${span(sleep.to - sleep.from)}` : ''}`];
  const marked =
    mark === undefined
      ? []
      : [`${mark.title}${mark.count > 1 ? ` and ${mark.count - 1} more` : ''}`];
  return [...marked, ...runs, ...more, ...slept];
}

const descriptionOf = ({ bars, sleeps, marks }: TrackAnswer): string =>
  `${counted(
    bars.reduce((sum, { count }) => sum + count, 0),
    'run',
  )}, ${counted(sleeps.length, 'sleep')}, ${counted(marks.length, 'mark')} in the shown range`;
