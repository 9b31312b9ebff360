/** The steps of the session as a list. Only rows in view have elements. */
import type { RunBar, TimelineRow } from '../../src/protocol/sessionView.ts';
import { element, setAttribute, svg } from '../shared/dom.ts';
import { Row, rowHeight } from './row.ts';
import { windowOf } from '../shared/windowOf.ts';
import { readTones, type ToneColours } from './tones.ts';

export interface TimelineListModel {
  readonly total: number;
  readonly selected: number;
  /** Whether a replay is playing. During a replay, steps after the selected step are dimmed. */
  readonly isReplaying: boolean;
  row(index: number): TimelineRow | undefined;
  bars(): Iterable<RunBar>;
}

export interface TimelineListEvents {
  select(row: number): void;
  nextTurn(step: 1 | -1): void;
  /** Called with the range of rows in view, so that missing rows are read. */
  want(from: number, to: number): void;
}

const laneWidth = 6;
const spareRows = 10;

export class TimelineList {
  readonly root: HTMLElement;
  readonly #events: TimelineListEvents;
  readonly #content = element('div', { class: 'rows' });
  readonly #gutter = svg('svg', { class: 'gutter', 'aria-hidden': 'true' });
  readonly #rows = new Map<number, Row>();
  #model: TimelineListModel | undefined;
  #tones: ToneColours = readTones();
  #shown = -1;

  constructor(events: TimelineListEvents) {
    this.#events = events;
    this.root = element(
      'div',
      { class: 'list', tabindex: 0, role: 'listbox', 'aria-label': 'Timeline' },
      this.#content,
    );
    this.#content.append(this.#gutter);
    this.root.addEventListener('scroll', () => this.#draw(), { passive: true });
    this.root.addEventListener('keydown', (event) => this.#onKey(event));
    this.#content.addEventListener('mousedown', (event) => this.#onPress(event));
    new ResizeObserver(() => this.#draw()).observe(this.root);
  }

  setTheme(): void {
    this.#tones = readTones();
    this.#draw();
  }

  render(model: TimelineListModel): void {
    this.#model = model;
    setAttribute(this.root, 'class', model.isReplaying ? 'list is-replaying' : 'list');
    this.#content.style.height = `${model.total * rowHeight}px`;
    if (model.selected !== this.#shown) this.#reveal(model.selected);
    this.#shown = model.selected;
    this.#draw();
  }

  #reveal(row: number): void {
    const { scrollTop, clientHeight } = this.root;
    const top = row * rowHeight;
    if (top < scrollTop) this.root.scrollTop = top - rowHeight;
    else if (top + rowHeight > scrollTop + clientHeight)
      this.root.scrollTop = top - clientHeight + 2 * rowHeight;
  }

  #draw(): void {
    const model = this.#model;
    if (model === undefined) return;
    const { scrollTop: top, clientHeight: height } = this.root;
    const { from, to } = windowOf({ top, height, total: model.total, rowHeight, spareRows });
    this.#events.want(from, to);
    for (const [index, row] of this.#rows) {
      if (index >= from && index < to) continue;
      row.root.remove();
      this.#rows.delete(index);
    }
    const bars = [...model.bars()].filter(
      (bar) => bar.fromRow < to && barEnd(bar, model.total) >= from,
    );
    const lanes = bars.reduce((max, { lane }) => Math.max(max, lane + 1), 0);
    this.root.style.setProperty('--gutter', `${lanes * laneWidth + (lanes > 0 ? 6 : 0)}px`);
    for (let index = from; index < to; index++) this.#drawRow(index, model);
    this.#drawGutter(bars, { from, to });
    const active = this.#rows.get(model.selected);
    setAttribute(this.root, 'aria-activedescendant', active?.root.id);
  }

  #drawRow(index: number, model: TimelineListModel): void {
    const row = this.#rows.get(index) ?? this.#add(index);
    const before = index === 0 ? undefined : model.row(index - 1);
    const place = {
      index,
      total: model.total,
      isSelected: index === model.selected,
      beforeMs: before?.atMs,
    };
    row.render(model.row(index), {
      ...place,
      isFuture: model.isReplaying && index > model.selected,
    });
  }

  #add(index: number): Row {
    const row = new Row(index);
    this.#rows.set(index, row);
    this.#content.append(row.root);
    return row;
  }

  #drawGutter(
    bars: readonly RunBar[],
    { from, to }: { readonly from: number; readonly to: number },
  ): void {
    const total = this.#model?.total ?? 0;
    this.#gutter.style.top = `${from * rowHeight}px`;
    setAttribute(this.#gutter, 'height', (to - from) * rowHeight);
    const lines = bars.map((bar) => {
      const top = Math.max(0, (bar.fromRow - from) * rowHeight + rowHeight / 2);
      const bottom = Math.min(to - from, barEnd(bar, total) - from + 1) * rowHeight - rowHeight / 2;
      const place = {
        x: bar.lane * laneWidth + 4,
        y: top - 2,
        width: 3,
        height: Math.max(4, bottom - top + 4),
        rx: 1.5,
      };
      return svg('rect', { ...place, fill: this.#tones[bar.tone] });
    });
    this.#gutter.replaceChildren(...lines);
  }

  #onPress(event: MouseEvent): void {
    const index = (event.target as Element).closest<HTMLElement>('.row')?.dataset['index'];
    if (index === undefined || event.button !== 0) return;
    this.#events.select(Number(index));
  }

  #onKey(event: KeyboardEvent): void {
    const model = this.#model;
    if (model === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'n' || event.key === 'p') {
      event.preventDefault();
      return this.#events.nextTurn(event.key === 'n' ? 1 : -1);
    }
    const page = Math.max(1, Math.floor(this.root.clientHeight / rowHeight) - 1);
    const target = keyTarget(event.key, { row: model.selected, last: model.total - 1, page });
    if (target === undefined) return;
    event.preventDefault();
    this.#events.select(target);
  }
}

/**
 * Returns the last row of a bar. The bar of a running run extends to the newest step, even if the
 * bar was read earlier.
 */
const barEnd = ({ toRow, tone }: RunBar, total: number): number =>
  tone === 'busy' ? total - 1 : toRow;

interface From {
  readonly row: number;
  readonly last: number;
  readonly page: number;
}

/** Returns the row to which a key moves the selection; `undefined` if the key does not move it. */
export function keyTarget(key: string, { row, last, page }: From): number | undefined {
  const target = {
    ArrowUp: row - 1,
    ArrowDown: row + 1,
    PageUp: row - page,
    PageDown: row + page,
    Home: 0,
    End: last,
  }[key];
  return target === undefined ? undefined : Math.max(0, Math.min(last, target));
}
