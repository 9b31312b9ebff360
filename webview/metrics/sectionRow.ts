/** The row above the runs of a section of the table. */
import { element, setAttribute, setText } from '../shared/dom.ts';
import { icon } from '../shared/icons.ts';
import type { TableSection } from './tableSections.ts';

export interface SectionRowEvents {
  /** Opens a closed section, and closes an open one. */
  toggleSection(section: TableSection): void;
}

export class SectionRow {
  readonly root: HTMLTableRowElement;
  readonly #button = element('button', { type: 'button', class: 'link section-name' });
  readonly #twisty = element('span', { class: 'twisty' }, icon('chevron'));
  readonly #title = element('span');
  readonly #count = element('span', { class: 'muted' });
  readonly #head: HTMLElement;
  #section: TableSection | undefined;

  constructor(events: SectionRowEvents) {
    this.#button.append(this.#twisty, this.#title, this.#count);
    this.#button.addEventListener('click', () => {
      if (this.#section !== undefined) events.toggleSection(this.#section);
    });
    this.#head = element('th', { scope: 'rowgroup' }, this.#button);
    this.root = element('tr', { class: 'section-row' }, this.#head);
  }

  render(section: TableSection, place: { readonly columns: number; readonly isActive: boolean }) {
    this.#section = section;
    setAttribute(this.#head, 'colspan', place.columns);
    setAttribute(this.#button, 'aria-expanded', String(section.isOpen));
    setAttribute(this.#twisty, 'class', section.isOpen ? 'twisty is-open' : 'twisty');
    setText(this.#title, section.title);
    setText(this.#count, ` ${section.count.toLocaleString('en')}`);
    setAttribute(this.#button, 'title', section.title);
    this.setActive(place.isActive);
  }

  setActive(isActive: boolean): void {
    this.#button.tabIndex = isActive ? 0 : -1;
  }

  focus(): void {
    this.setActive(true);
    this.#button.focus();
  }

  /** Returns the position of the name, so that arrow keys go on to the names of runs. */
  focusedColumn(): number {
    return 1;
  }
}
