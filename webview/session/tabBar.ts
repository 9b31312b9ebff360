import { element, setAttribute, setText } from '../shared/dom.ts';
import { tabs, type Tab } from './viewState.ts';

const titles: Readonly<Record<Tab, string>> = {
  timeline: 'Timeline',
  ledger: 'Ledger',
  inbox: 'Inbox',
  notes: 'Sticky Notes',
};

/** The bar for switching between tabs. Arrow keys move between the tabs. */
export class TabBar {
  readonly root = element('div', {
    class: 'tabs',
    role: 'tablist',
    'aria-label': 'Parts of the session',
  });
  readonly #tabs: ReadonlyMap<
    Tab,
    { readonly button: HTMLButtonElement; readonly badge: HTMLElement }
  >;

  constructor(onChoose: (tab: Tab) => void) {
    this.#tabs = new Map(
      tabs.map((tab) => {
        const badge = element('span', { class: 'badge', hidden: true });
        const attributes = {
          type: 'button',
          class: 'tab',
          role: 'tab',
          id: `tab-${tab}`,
          'aria-controls': `panel-${tab}`,
        };
        const button = element('button', attributes, titles[tab], badge);
        button.addEventListener('click', () => onChoose(tab));
        return [tab, { button, badge }];
      }),
    );
    this.root.append(...[...this.#tabs.values()].map(({ button }) => button));
    this.root.addEventListener('keydown', (event) => this.#onKey(event, onChoose));
  }

  render(chosen: Tab, counts: Readonly<Partial<Record<Tab, number>>>): void {
    for (const [tab, { button, badge }] of this.#tabs) {
      setAttribute(button, 'aria-selected', String(tab === chosen));
      button.tabIndex = tab === chosen ? 0 : -1;
      const count = counts[tab] ?? 0;
      badge.hidden = count === 0;
      setText(badge, String(count));
    }
  }

  #onKey(event: KeyboardEvent, onChoose: (tab: Tab) => void): void {
    const at = tabs.findIndex((tab) => this.#tabs.get(tab)?.button === document.activeElement);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 }[event.key];
    const tab = to === undefined ? undefined : tabs.at(to % tabs.length);
    if (tab === undefined) return;
    event.preventDefault();
    onChoose(tab);
    this.#tabs.get(tab)?.button.focus();
  }
}

/** Returns the element that holds the content of a tab. */
export const tabPanel = (tab: Tab): HTMLElement =>
  element('div', {
    class: `tab-panel panel-${tab}`,
    role: 'tabpanel',
    id: `panel-${tab}`,
    'aria-labelledby': `tab-${tab}`,
  });
