import type { TimelineRow } from '../../src/protocol/sessionView.ts';
import { element, setAttribute, setText } from '../shared/dom.ts';
import { icon, type IconName } from '../shared/icons.ts';
import { clockTime, exactTime, span } from './times.ts';
import { kindLabels, stepIcon, toneLabels } from './tones.ts';

/** Height of a row in pixels; the same as in VS Code's lists. */
export const rowHeight = 22;

export interface RowPlace {
  readonly index: number;
  readonly total: number;
  readonly isSelected: boolean;
  readonly isFuture: boolean;
  readonly beforeMs: number | undefined;
}

/** Kinds of steps that happen within a turn; their rows are indented. */
const inner: ReadonlySet<TimelineRow['kind']> = new Set([
  'tool',
  'run',
  'refusal',
  'consult',
  'plan',
]);

export class Row {
  readonly root: HTMLElement;
  readonly #icon = element('span', { class: 'row-icon' });
  readonly #title = element('span', { class: 'row-title' });
  readonly #note = element('span', { class: 'row-note' });
  readonly #cost = element('span', { class: 'row-cost number' });
  readonly #time = element('span', { class: 'row-time number' });
  #name: IconName | undefined;

  constructor(index: number) {
    this.root = element('div', {
      class: 'row',
      id: `row-${index}`,
      role: 'option',
      'data-index': index,
    });
    this.root.style.top = `${index * rowHeight}px`;
    this.root.append(this.#icon, this.#title, this.#note, this.#cost, this.#time);
  }

  render(row: TimelineRow | undefined, place: RowPlace): void {
    setAttribute(this.root, 'aria-posinset', place.index + 1);
    setAttribute(this.root, 'aria-setsize', place.total);
    setAttribute(this.root, 'aria-selected', String(place.isSelected));
    setAttribute(this.root, 'class', classesOf(row, place));
    if (row === undefined) return;
    this.#setIcon(stepIcon(row.kind, row.tone));
    const took = row.endMs === undefined ? '' : span(row.endMs - row.atMs);
    setText(this.#title, row.title);
    setText(this.#note, row.note ?? '');
    setText(this.#cost, row.cost ?? (row.kind === 'sleep' ? took : ''));
    // The time is shown only once for consecutive rows with the same second.
    const time = clockTime(row.atMs);
    setText(
      this.#time,
      place.beforeMs !== undefined && clockTime(place.beforeMs) === time ? '' : time,
    );
    setAttribute(this.root, 'title', tooltip(row, took));
    setAttribute(this.root, 'aria-label', spoken(row));
  }

  #setIcon(name: IconName): void {
    if (name === this.#name) return;
    this.#name = name;
    this.#icon.replaceChildren(icon(name));
    setAttribute(this.#icon, 'data-icon', name);
  }
}

function classesOf(row: TimelineRow | undefined, { isSelected, isFuture }: RowPlace): string {
  const classes = ['row', row === undefined ? 'is-missing' : `kind-${row.kind} tone-${row.tone}`];
  if (row !== undefined && inner.has(row.kind)) classes.push('is-inner');
  if (isSelected) classes.push('is-selected');
  if (isFuture) classes.push('is-future');
  return classes.join(' ');
}

const tooltip = (row: TimelineRow, took: string): string =>
  [
    row.title,
    row.note ?? '',
    `${exactTime(row.atMs)}${took === '' ? '' : ` · ${took}`}`,
    `turn ${row.turn}`,
  ]
    .filter((line) => line !== '')
    .join('\n');

const spoken = (row: TimelineRow): string =>
  [
    kindLabels[row.kind],
    row.title,
    row.note ?? '',
    toneLabels[row.tone],
    row.cost ?? '',
    clockTime(row.atMs),
  ]
    .filter((part) => part !== '')
    .join(', ');
