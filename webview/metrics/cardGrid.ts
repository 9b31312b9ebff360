/** The cards of all metrics, in sections that can be closed. Only cards in view are drawn. */
import type { Card } from './card.ts';
import { element, setAttribute, setChildren, setText } from '../shared/dom.ts';
import { icon } from '../shared/icons.ts';
import { sectionsOf } from './sections.ts';
import { messageElement, noChart, noMetrics } from './shell.ts';
import type { ViewState } from './viewState.ts';

export interface CardGridEvents {
  create(metric: string): Card;
  /** Called when cards were scrolled into view. */
  onDidChangeVisible(): void;
  toggleSection(name: string): void;
}

export class CardGrid {
  readonly root = element('div', { class: 'cards' });
  readonly #events: CardGridEvents;
  readonly #cards = new Map<string, Card>();
  readonly #headings = new Map<string, HTMLButtonElement>();
  readonly #watcher: IntersectionObserver;

  constructor(events: CardGridEvents) {
    this.#events = events;
    this.#watcher = new IntersectionObserver((entries) => this.#noteVisible(entries), {
      rootMargin: '200px',
    });
  }

  get all(): readonly Card[] {
    return [...this.#cards.values()];
  }

  get(metric: string): Card | undefined {
    return this.#cards.get(metric);
  }

  /** Arranges the cards. Cards of closed sections and of unknown metrics are removed. */
  render(
    metrics: readonly string[],
    { chartFilter, closedSections }: Pick<ViewState, 'chartFilter' | 'closedSections'>,
  ): void {
    const sections = sectionsOf(metrics, chartFilter);
    const open = sections.filter(({ name }) => !closedSections.includes(name));
    this.#remove(new Set(open.flatMap((section) => section.metrics)));
    if (sections.length === 0)
      return this.root.replaceChildren(messageElement(metrics.length === 0 ? noMetrics : noChart));
    const children = sections.flatMap((section) => {
      const isOpen = !closedSections.includes(section.name);
      const cards = isOpen ? section.metrics.map((name) => this.#cardOf(name).root) : [];
      if (section.name === '') return cards;
      return [this.#heading(section.name, section.metrics.length, isOpen), ...cards];
    });
    setChildren(this.root, children);
  }

  #remove(kept: ReadonlySet<string>): void {
    for (const [name, card] of this.#cards) {
      if (kept.has(name)) continue;
      this.#watcher.unobserve(card.root);
      card.dispose();
      this.#cards.delete(name);
    }
  }

  #cardOf(metric: string): Card {
    const existing = this.#cards.get(metric);
    if (existing !== undefined) return existing;
    const card = this.#events.create(metric);
    this.#cards.set(metric, card);
    this.#watcher.observe(card.root);
    return card;
  }

  #heading(name: string, count: number, isOpen: boolean): HTMLButtonElement {
    const heading = this.#headings.get(name) ?? this.#addHeading(name);
    setAttribute(heading, 'aria-expanded', String(isOpen));
    setText(heading.lastElementChild ?? heading, `${name} (${count})`);
    return heading;
  }

  #addHeading(name: string): HTMLButtonElement {
    const twisty = element('span', { class: 'twisty' }, icon('chevron'));
    const heading = element('button', { type: 'button', class: 'section-heading' }, twisty);
    heading.append(element('span'));
    heading.addEventListener('click', () => this.#events.toggleSection(name));
    this.#headings.set(name, heading);
    return heading;
  }

  #noteVisible(entries: readonly IntersectionObserverEntry[]): void {
    for (const card of this.#cards.values()) {
      const entry = entries.findLast(({ target }) => target === card.root);
      if (entry !== undefined) card.isVisible = entry.isIntersecting;
    }
    this.#events.onDidChangeVisible();
  }
}
