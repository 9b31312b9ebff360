/**
 * Parallel coordinates: an axis per parameter, a line per run. A range of an axis is chosen by dragging
 * or by keys, and becomes a part of the filter.
 */
import type { MatteredAnswer, MatteredAxis, MatteredTick } from '../../../src/protocol/mattered.ts';
import { setAttribute, svg } from '../../shared/dom.ts';
import type { Range } from '../../shared/range.ts';
import { comparisonsOf, isWithin } from './brush.ts';
import { picture, shortened, xAt, yAt, type Frame } from './plotArea.ts';

export interface ParallelEvents {
  /** Called when the user has chosen a range; `comparisons` is a part of a filter. */
  choose(name: string, comparisons: string): void;
  say(text: string): void;
}

const frame: Frame = { width: 940, height: 280, left: 60, right: 60, top: 34, bottom: 14 };
const maxAxes = 8;
/** Distance by which a key moves an end of the range. */
const step = 0.05;
const whole: Range = { from: 0, to: 1 };

export class Parallel {
  readonly #answer: MatteredAnswer;
  readonly #axes: readonly MatteredAxis[];
  readonly #events: ParallelEvents;
  readonly #lines: readonly SVGElement[];
  readonly root: SVGElement;

  constructor(answer: MatteredAnswer, metric: MatteredAxis, events: ParallelEvents) {
    this.#answer = answer;
    this.#axes = [...answer.parameters.slice(0, maxAxes), metric];
    this.#events = events;
    this.#lines = answer.runs.map((run, at) => this.#line(run.rank, at));
    const names = this.#axes.map(({ name }) => name).join(', ');
    this.root = picture(frame, `${answer.runs.length} runs by ${names}`, [
      ...this.#lines,
      ...this.#axes.map((axis, at) => this.#axis(axis, at)),
    ]);
    // Its axes are controls, which an image would hide from screen readers.
    setAttribute(this.root, 'role', 'group');
  }

  #xOf(at: number): number {
    return xAt(frame, this.#axes.length === 1 ? 0.5 : at / (this.#axes.length - 1));
  }

  #line(rank: number, at: number): SVGElement {
    const points = this.#axes.flatMap(({ places }, axis) => {
      const place = places[at];
      return typeof place === 'number' ? [`${this.#xOf(axis)},${yAt(frame, place)}`] : [];
    });
    const shown = svg('polyline', { class: 'run-path', points: points.join(' ') });
    setAttribute(shown, 'stroke-opacity', (0.12 + 0.78 * rank ** 3).toFixed(2));
    return shown;
  }

  #axis(axis: MatteredAxis, at: number): SVGElement {
    const x = this.#xOf(at);
    const [top, bottom] = [yAt(frame, 1), yAt(frame, 0)];
    const range = svg('rect', { class: 'brush', x: x - 8, width: 16, y: top, height: 0 });
    const name = shortened(axis.name, Math.max(8, Math.floor(120 / this.#axes.length)));
    const group = svg(
      'g',
      { class: 'brush-axis', tabindex: 0, role: 'slider', 'aria-orientation': 'vertical' },
      svg('rect', { class: 'brush-place', x: x - 14, width: 28, y: top, height: bottom - top }),
      svg('line', { class: 'axis', x1: x, x2: x, y1: top, y2: bottom }),
      svg(
        'text',
        { class: 'axis-title', x, y: 18, 'text-anchor': 'middle' },
        svg('title', {}, axis.name),
        name,
      ),
      ...axis.ticks.map((tick) => tickText(tick, x, at === this.#axes.length - 1)),
      range,
    );
    setAttribute(group, 'aria-label', `${axis.name}: range of the filter`);
    new Brush({
      group,
      range,
      axis,
      x,
      onChange: (chosen) => this.#fade(axis, chosen),
      ...this.#events,
    });
    return group;
  }

  /** Fades the lines of the runs outside the range. */
  #fade(axis: MatteredAxis, range: Range | undefined): void {
    this.#answer.runs.forEach((_, at) => {
      const isOut = range !== undefined && !isWithin(axis, at, range);
      this.#lines[at]?.classList.toggle('is-out', isOut);
    });
  }
}

/** Labels a place of an axis: on its left, of the last axis on its right. */
const tickText = ({ place, text }: MatteredTick, x: number, isLast: boolean): SVGElement => {
  const [at, anchor] = isLast ? [x + 10, 'start'] : [x - 10, 'end'];
  const attributes = { class: 'tick', x: at, y: yAt(frame, place) + 4, 'text-anchor': anchor };
  return svg('text', attributes, shortened(text, 8));
};

interface BrushOptions extends ParallelEvents {
  readonly group: SVGElement;
  readonly range: SVGElement;
  readonly axis: MatteredAxis;
  readonly x: number;
  onChange(range: Range | undefined): void;
}

/** The range that is being chosen on one axis. */
class Brush {
  readonly #options: BrushOptions;
  #range: Range | undefined;
  #start: number | undefined;

  constructor(options: BrushOptions) {
    this.#options = options;
    const { group } = options;
    group.addEventListener('pointerdown', (event) => {
      group.setPointerCapture(event.pointerId);
      this.#start = this.#placeOf(event);
    });
    group.addEventListener('pointermove', (event) => {
      if (this.#start === undefined) return;
      const place = this.#placeOf(event);
      this.#set({ from: Math.min(place, this.#start), to: Math.max(place, this.#start) });
    });
    group.addEventListener('pointerup', () => {
      this.#start = undefined;
      if (this.#range !== undefined) this.#apply();
    });
    group.addEventListener('pointercancel', () => {
      this.#start = undefined;
      this.#set(undefined);
    });
    group.addEventListener('keydown', (event) => {
      if (this.#onKey(event)) event.preventDefault();
    });
    this.#draw();
  }

  #placeOf(event: PointerEvent): number {
    const { height } = frame;
    const box = this.#options.group.ownerSVGElement?.getBoundingClientRect();
    if (box === undefined || box.height === 0) return 0;
    const y = ((event.clientY - box.top) / box.height) * height;
    const share = (height - frame.bottom - y) / (height - frame.top - frame.bottom);
    return Math.min(1, Math.max(0, share));
  }

  /** The upper end moves with Up and Down, the lower end with Shift. Returns whether a key was used. */
  #onKey({ key, shiftKey }: KeyboardEvent): boolean {
    const by = { ArrowUp: step, ArrowDown: -step }[key];
    if (by !== undefined) {
      const { from, to } = this.#range ?? whole;
      const clamp = (place: number): number => Math.min(1, Math.max(0, place));
      this.#set(
        shiftKey
          ? { from: Math.min(clamp(from + by), to), to }
          : { from, to: Math.max(clamp(to + by), from) },
      );
    } else if (key === 'Enter') this.#apply();
    else if (key === 'Escape') this.#set(undefined);
    else if (key === 'Delete' || key === 'Backspace')
      this.#options.choose(this.#options.axis.name, '');
    else return false;
    return true;
  }

  #set(range: Range | undefined): void {
    this.#range = range;
    this.#draw();
    this.#options.onChange(range);
  }

  #apply(): void {
    const { axis, choose, say } = this.#options;
    const comparisons = this.#range && comparisonsOf(axis, this.#range);
    if (comparisons === undefined) {
      this.#set(undefined);
      return say('No run is in the range');
    }
    choose(axis.name, comparisons);
  }

  #draw(): void {
    const { range, group, axis } = this.#options;
    const { from, to } = this.#range ?? whole;
    const isChosen = this.#range !== undefined;
    setAttribute(range, 'y', yAt(frame, to));
    setAttribute(range, 'height', isChosen ? yAt(frame, from) - yAt(frame, to) : 0);
    const text = isChosen ? (comparisonsOf(axis, { from, to }) ?? 'no run') : 'all runs';
    setAttribute(group, 'aria-valuemin', 0);
    setAttribute(group, 'aria-valuemax', 1);
    setAttribute(group, 'aria-valuenow', to);
    setAttribute(group, 'aria-valuetext', text === '' ? 'all runs' : text);
  }
}
