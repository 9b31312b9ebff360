/** The card of a metric: a chart with all shown runs, and the values as text. */
import type { PanelMetric, XAxis } from '../../src/protocol/metricsPanel.ts';
import { clampZoom, moved, scaled, type Range } from '../shared/range.ts';
import { fitY, union, type Bounds } from './bounds.ts';
import type { CardLine } from './cardLine.ts';
import { Plot, type PlotLine } from './chart.ts';
import { iconButton, textButton } from './controls.ts';
import type { Band, Decorations } from './decorations.ts';
import { element, setAttribute, setText } from '../shared/dom.ts';
import { listenToGestures, type PlotGestures } from '../shared/gestures.ts';
import { Glide } from './glide.ts';
import { isPartOf } from './items.ts';
import { hitsAt, hitsText, HoverBox, ranked } from './hover.ts';
import type { Theme } from '../shared/theme.ts';
import { chartInText, valueRows } from './valuesTable.ts';

export interface CardModel {
  readonly metric: PanelMetric;
  /** Lines in the same order as in the table of runs. */
  readonly lines: readonly CardLine[];
  readonly axis: XAxis;
  readonly isLog: boolean;
  readonly zoom: Range | undefined;
  /** Id of the item under the pointer in the table. The lines of all others are dimmed. */
  readonly highlight: string | undefined;
  readonly problem: string | undefined;
  readonly isReading: boolean;
  readonly isValuesOpen: boolean;
}

export interface CardEvents {
  zoomTo(range: Range | undefined): void;
  /** Moves the crosshair of all cards to this x. */
  moveCursor(x: number | undefined, from: Card): void;
  retry(): void;
  toggleValues(isOpen: boolean): void;
  savePng(): void;
  say(text: string): void;
}

const describeEveryMs = 1000;
let created = 0;

export class Card {
  readonly root: HTMLElement;
  /** Whether the card is scrolled into view; set by `Panel`. A card out of view is not drawn. */
  isVisible = false;
  readonly #events: CardEvents;
  readonly #plot: Plot;
  readonly #glide: Glide;
  readonly #hover = new HoverBox();
  readonly #note = element('div', { class: 'note muted' });
  readonly #description = element('p', { class: 'sr-only' });
  readonly #message = element('div', { class: 'card-message' });
  readonly #stage: HTMLElement;
  readonly #rows = element('tbody');
  readonly #details: HTMLDetailsElement;
  #model: CardModel | undefined;
  #textTimer: ReturnType<typeof setTimeout> | undefined;
  #cursorX: number | undefined;
  #selection: Range | undefined;
  #isPointed = false;

  constructor(name: string, theme: Theme, events: CardEvents) {
    this.#events = events;
    const id = `card-${++created}`;
    const canvas = element('canvas', { 'aria-hidden': 'true' });
    this.#stage = element('div', {
      class: 'stage',
      tabindex: 0,
      role: 'group',
      ...stageLabels(name, id),
    });
    this.#stage.append(element('div', { class: 'canvas-box' }, canvas), this.#hover.root);
    setAttribute(this.#description, 'id', `${id}-words`);
    this.#details = this.#valuesDetails();
    const save = iconButton({
      label: `Save ${name} as PNG`,
      icon: 'save',
      onClick: () => events.savePng(),
    });
    const title = element('h2', { id: `${id}-title`, title: name }, name);
    const header = element('header', { class: 'card-header' }, title, this.#note, save);
    this.root = element('section', { class: 'card', 'aria-labelledby': `${id}-title` });
    this.root.append(header, this.#stage, this.#message, this.#description, this.#details);
    this.#plot = new Plot(canvas, theme);
    this.#glide = new Glide((bounds) => this.#draw(bounds));
    listenToGestures(this.#stage, this.#gestures());
  }

  get canvas(): HTMLCanvasElement {
    return this.#plot.canvas;
  }

  get model(): CardModel | undefined {
    return this.#model;
  }

  /**
   * Width of the plot in device pixels, rounded up to a multiple of 128. Without the rounding, the
   * series would be read again for each pixel by which the user resizes the panel.
   */
  get pixels(): number {
    return Math.min(
      8192,
      Math.max(256, Math.ceil((this.#stage.clientWidth * devicePixelRatio) / 128) * 128),
    );
  }

  setTheme(theme: Theme): void {
    this.#plot.setTheme(theme);
  }

  /**
   * Draws the model. With `isJump`, the axes change immediately, because the user changed the view;
   * without it, new data moves the axes gradually.
   */
  render(model: CardModel, options: { readonly isJump: boolean }): void {
    this.#model = model;
    this.#describe(model, options.isJump);
    const x = model.zoom ?? this.#full();
    const y = fitY({ lines: fitted(model), x, target: model.metric.target, isLog: model.isLog });
    this.#glide.to({ x, y }, options);
    this.#showHover();
  }

  setCursor(x: number | undefined, isSource: boolean): void {
    if (x === this.#cursorX && isSource === this.#isPointed) return;
    this.#cursorX = x;
    this.#isPointed = isSource;
    this.#plot.decorate(this.#decorations());
    this.#showHover();
  }

  dispose(): void {
    clearTimeout(this.#textTimer);
    this.#glide.dispose();
    this.#plot.dispose();
    this.root.remove();
  }

  #full(): Range {
    return union(this.#model?.lines.map(({ series }) => series.extent) ?? []) ?? { from: 0, to: 1 };
  }

  #draw(bounds: Bounds): void {
    if (this.#model === undefined) return;
    const { lines, axis, isLog, highlight } = this.#model;
    const plotLines = lines.flatMap((line) => plotLinesOf(line, highlight));
    this.#plot.show({ lines: plotLines, axis, isLog, decorations: this.#decorations() }, bounds);
  }

  #decorations(): Decorations {
    const lines = this.#model?.lines ?? [];
    const hits = this.#cursorX === undefined ? [] : this.#hits(this.#cursorX);
    return {
      target: this.#model?.metric.target,
      champion: this.#model?.metric.champion,
      bands: lines.flatMap((line) => bandOf(line, this.#model?.highlight)),
      marks: lines.map(({ style, series }) => ({ colour: style.colour, marks: series.marks })),
      cursorX: this.#cursorX,
      dots: hits.map(({ line, x, value }) => ({ x, y: value, colour: line.style.colour })),
      selection: this.#selection,
    };
  }

  #hits(x: number) {
    const { lines = [], metric } = this.#model ?? {};
    return ranked(hitsAt(lines, x, this.#shownX()), metric?.direction ?? 'none');
  }

  #shownX(): Range {
    return this.#glide.wanted?.x ?? { from: 0, to: 1 };
  }

  #showHover(): void {
    const x = this.#cursorX;
    const shown = this.#shownX();
    const isAway = x === undefined || !this.#isPointed || this.#selection !== undefined;
    if (isAway || x < shown.from || x > shown.to) return this.#hover.hide();
    this.#hover.show(this.#hits(x), {
      x,
      pixel: this.#plot.pixelAt(x),
      axis: this.#model?.axis ?? 'step',
    });
  }

  /**
   * Updates the description and the table of values now. If the model has changed a second later,
   * updates them again. Faster updates would be unreadable.
   */
  #updateTexts(model: CardModel): void {
    clearTimeout(this.#textTimer);
    setText(this.#description, chartInText(model.metric.name, model.lines));
    if (model.isValuesOpen) this.#rows.replaceChildren(...valueRows(model.lines));
    this.#textTimer = setTimeout(() => {
      this.#textTimer = undefined;
      if (this.#model !== undefined && this.#model !== model) this.#updateTexts(this.#model);
    }, describeEveryMs);
  }

  #describe(model: CardModel, isJump: boolean): void {
    setText(this.#note, noteOf(model));
    if (this.#details.open !== model.isValuesOpen) this.#details.open = model.isValuesOpen;
    if (isJump || this.#textTimer === undefined) this.#updateTexts(model);
    const message = messageOf(model);
    this.#message.hidden = message === undefined;
    if (message === undefined || this.#message.firstChild?.textContent === message) return;
    this.#message.replaceChildren(
      element('p', { role: model.problem === undefined ? undefined : 'alert' }, message),
    );
    if (model.problem !== undefined)
      this.#message.append(textButton('Retry', () => this.#events.retry()));
  }

  #valuesDetails(): HTMLDetailsElement {
    const heads = ['Run', 'Last', 'Min', 'Max', 'Trend'].map((text, index) =>
      element('th', { scope: 'col', class: index > 0 && index < 4 ? 'number' : undefined }, text),
    );
    const table = element(
      'table',
      { class: 'values' },
      element('thead', {}, element('tr', {}, ...heads)),
      this.#rows,
    );
    const details = element('details', {}, element('summary', {}, 'Values'), table);
    details.addEventListener('toggle', () => {
      if (details.open !== this.#model?.isValuesOpen) this.#events.toggleValues(details.open);
    });
    return details;
  }

  #gestures(): PlotGestures {
    const toRange = ([from, to]: readonly [number, number]): Range => ({
      from: this.#plot.xAt(from),
      to: this.#plot.xAt(to),
    });
    return {
      area: () => this.#plot.area,
      hover: (pixel) =>
        this.#events.moveCursor(pixel === undefined ? undefined : this.#plot.xAt(pixel), this),
      select: (pixels) => {
        this.#selection = pixels && toRange(pixels);
        this.#plot.decorate(this.#decorations());
      },
      zoomTo: (pixels) => this.#zoom(toRange(pixels)),
      zoomBy: (factor, pixel) =>
        this.zoomBy(factor, pixel === undefined ? undefined : this.#plot.xAt(pixel)),
      pan: (share) => {
        const shown = this.#shownX();
        this.#zoom(moved(shown, share * (shown.to - shown.from)));
      },
      moveCursor: (share) => this.#moveCursorBy(share),
      reset: () => this.#events.zoomTo(undefined),
    };
  }

  zoomBy(factor: number, centre?: number): void {
    const shown = this.#shownX();
    this.#zoom(scaled(shown, centre ?? this.#cursorX ?? (shown.from + shown.to) / 2, factor));
  }

  #zoom(range: Range): void {
    this.#events.zoomTo(clampZoom(range, this.#full()));
  }

  #moveCursorBy(share: number): void {
    const shown = this.#shownX();
    const size = shown.to - shown.from;
    const start = this.#cursorX ?? (share > 0 ? shown.from : shown.to);
    const x = Math.min(shown.to, Math.max(shown.from, start + share * size));
    this.#events.moveCursor(x, this);
    this.#events.say(hitsText(this.#hits(x), x, this.#model?.axis ?? 'step'));
  }
}

/** Returns the band around the mean of a group; none while the runs of the group are listed. */
function bandOf({ item, style, series }: CardLine, highlight: string | undefined): readonly Band[] {
  if (series.band === undefined || item.isExpanded === true) return [];
  const isBack = highlight !== undefined && !isPartOf(item, highlight);
  const { low, high } = series.band;
  return [{ low, high, colour: style.colour, opacity: isBack ? 0.04 : 0.18 }];
}

const stageLabels = (name: string, id: string) => ({
  'aria-label': `Chart of ${name}`,
  'aria-roledescription': 'chart',
  'aria-describedby': `${id}-words`,
  'aria-keyshortcuts': 'ArrowLeft ArrowRight + - 0',
});

/**
 * Returns the points that determine the y range. With smoothing, these are the points of the
 * smoothed curves only, so that the extremes of the faint raw lines may be outside the plot.
 */
const fitted = (model: CardModel) =>
  model.lines.flatMap(({ series }) => {
    const line = series.smooth ?? series.points;
    return series.band === undefined ? [line] : [line, series.band.low, series.band.high];
  });

function plotLinesOf(
  { item, style, series }: CardLine,
  highlight: string | undefined,
): readonly PlotLine[] {
  const isBack = highlight !== undefined && !isPartOf(item, highlight);
  const isMain = item.isChampion && item.position === 0;
  const width = isMain ? 2.5 : item.position > 0 ? 0.75 : 1.25;
  const level = (isMain ? 2 : 1) + (highlight === item.id ? 2 : 0);
  const main = {
    ...style,
    width,
    level,
    points: series.smooth ?? series.points,
    opacity: isBack ? 0.2 : 1,
  };
  if (series.smooth === undefined) return [main];
  return [
    { ...style, width: 1, level: 0, points: series.points, opacity: isBack ? 0.06 : 0.25 },
    main,
  ];
}

function noteOf({ metric, lines, axis, isLog }: CardModel): string {
  const direction = metric.direction === 'none' ? [] : [`${metric.direction} is better`];
  if (metric.isSystem === true && axis === 'time') direction.push('over time');
  const hasOmitted = isLog && lines.some(({ series }) => series.points.some(({ y }) => y <= 0));
  return [...direction, ...(hasOmitted ? ['values ≤ 0 are not shown'] : [])].join(' · ');
}

function messageOf({ problem, lines, isReading }: CardModel): string | undefined {
  if (problem !== undefined) return problem;
  if (lines.some(({ series }) => series.total > 0)) return undefined;
  return isReading ? 'Reading…' : 'No values in the shown runs';
}
